-- AlterTable
ALTER TABLE "fact_version" ADD COLUMN "words" TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[];

-- CreateTable
CREATE TABLE "unlearned_turn" (
    "account_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "message_hash" BYTEA NOT NULL,
    "thread_id" UUID NOT NULL,
    "n" BIGSERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,

    CONSTRAINT "unlearned_turn_pkey" PRIMARY KEY ("account_id","session_id","message_hash")
);

-- CreateTable
CREATE TABLE "memory_count" (
    "account_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "value" BIGINT NOT NULL,

    CONSTRAINT "memory_count_pkey" PRIMARY KEY ("account_id","name")
);

-- CreateTable
CREATE TABLE "memory_review" (
    "account_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "scope_kind" TEXT NOT NULL,
    "scope_id" UUID NOT NULL,
    "docid" TEXT,
    "why" TEXT[] NOT NULL,
    "statements" UUID[] NOT NULL,
    "closed" UUID[] NOT NULL,
    "claim" JSONB,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "outcome" TEXT,
    "settled_at" TIMESTAMPTZ(3),

    CONSTRAINT "memory_review_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateIndex
CREATE INDEX "unlearned_turn_account_id_n_idx" ON "unlearned_turn"("account_id", "n");

-- CreateIndex
CREATE INDEX "unlearned_turn_account_id_message_hash_idx" ON "unlearned_turn"("account_id", "message_hash");

-- CreateIndex
CREATE INDEX "memory_review_account_id_docid_idx" ON "memory_review"("account_id", "docid");

-- CreateIndex
CREATE INDEX "memory_review_account_id_at_id_idx" ON "memory_review"("account_id", "at", "id");

-- AddForeignKey
ALTER TABLE "unlearned_turn" ADD CONSTRAINT "unlearned_turn_account_id_message_hash_fkey" FOREIGN KEY ("account_id", "message_hash") REFERENCES "message"("account_id", "hash") ON DELETE CASCADE ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "unlearned_turn" ADD CONSTRAINT "unlearned_turn_account_id_session_id_fkey" FOREIGN KEY ("account_id", "session_id") REFERENCES "session"("account_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;


-- By hand from here: what Prisma's language cannot say.

-- What a block may hold is found by the words of what is typed.
CREATE INDEX "fact_version_words_idx" ON "fact_version" USING gin ("words") WHERE (recorded_to IS NULL AND valid_to IS NULL);

ALTER TABLE "memory_review" ADD CONSTRAINT "memory_review_kind" CHECK ("kind" IN ('batch', 'claim', 'unsure'));
ALTER TABLE "memory_review" ADD CONSTRAINT "memory_review_outcome" CHECK (
  ("outcome" IS NULL) = ("settled_at" IS NULL) AND "outcome" IN ('accepted', 'dismissed', 'reopened'));
