-- declared
SET 'table.local-time-zone' = 'Mars/Base';
