-- declared
SET 'execution.checkpointing.interval' = 'often';
