-- Nexmark 23: bids with their auctions and the sellers of those.
-- Events of an auction house: persons, auctions and bids in one topic, told apart by `event_type`.
CREATE TABLE nexmark (
  event_type INT,
  person ROW<id BIGINT, name STRING, emailAddress STRING, creditCard STRING, city STRING, state STRING, `dateTime` TIMESTAMP(3), extra STRING>,
  auction ROW<id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT, `dateTime` TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra STRING>,
  bid ROW<auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` TIMESTAMP(3), extra STRING>,
  `dateTime` AS CASE WHEN event_type = 0 THEN person.`dateTime` WHEN event_type = 1 THEN auction.`dateTime` ELSE bid.`dateTime` END,
  WATERMARK FOR `dateTime` AS `dateTime` - INTERVAL '4' SECOND
) WITH (
  'connector' = 'kafka',
  'topic' = 'nexmark',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'properties.group.id' = 'nexmark',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
);
CREATE VIEW bid AS
SELECT bid.auction, bid.bidder, bid.price, bid.channel, bid.url, `dateTime`, bid.extra
FROM nexmark WHERE event_type = 2;
CREATE VIEW auction AS
SELECT auction.id, auction.itemName, auction.description, auction.initialBid, auction.reserve, `dateTime`, auction.expires, auction.seller, auction.category, auction.extra
FROM nexmark WHERE event_type = 1;
CREATE VIEW person AS
SELECT person.id, person.name, person.emailAddress, person.creditCard, person.city, person.state, `dateTime`, person.extra
FROM nexmark WHERE event_type = 0;
CREATE TABLE answer (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, bid_time TIMESTAMP(3), itemName STRING, seller BIGINT, category BIGINT,
  name STRING, city STRING, state STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'answer',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'format' = 'json'
);
INSERT INTO answer
SELECT b.auction, b.bidder, b.price, b.channel, b.`dateTime`, a.itemName, a.seller, a.category, p.name, p.city, p.state
FROM bid AS b JOIN auction AS a ON b.auction = a.id JOIN person AS p ON a.seller = p.id;
