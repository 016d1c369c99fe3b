-- What the gateway remembers of a thread between its requests: numbers alone.
CREATE TABLE "thread_state" (
    "account_id" UUID NOT NULL,
    "agent" TEXT NOT NULL,
    "session" TEXT NOT NULL,
    "thread" TEXT NOT NULL,
    "state" JSON NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "thread_state_pkey" PRIMARY KEY ("account_id","agent","session","thread")
);
