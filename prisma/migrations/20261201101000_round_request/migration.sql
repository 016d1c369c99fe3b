-- The request that the answer with the hidden rounds was given to.
ALTER TABLE "splice" ADD COLUMN "request_id" UUID;
