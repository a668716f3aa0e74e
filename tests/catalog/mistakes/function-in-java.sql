-- declared
CREATE FUNCTION f AS 'com.example.F' LANGUAGE JAVA;
