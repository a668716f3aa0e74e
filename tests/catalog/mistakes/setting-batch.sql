-- declared
SET 'execution.runtime-mode' = 'batch';
