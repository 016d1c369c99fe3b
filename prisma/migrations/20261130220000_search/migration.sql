-- CreateTable
CREATE TABLE "search_state" (
    "account_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "next_doc" INTEGER NOT NULL DEFAULT 0,
    "next_batch" INTEGER NOT NULL DEFAULT 0,
    "chunks" INTEGER NOT NULL DEFAULT 0,
    "words" BIGINT NOT NULL DEFAULT 0,
    "levels" INTEGER[] DEFAULT ARRAY[]::INTEGER[],
    "joining" INTEGER,
    "joined_up_to" TEXT,

    CONSTRAINT "search_state_pkey" PRIMARY KEY ("account_id")
);

-- CreateTable
CREATE TABLE "unindexed_item" (
    "account_id" UUID NOT NULL,
    "message_hash" BYTEA NOT NULL,
    "position" INTEGER NOT NULL,
    "n" BIGSERIAL NOT NULL,

    CONSTRAINT "unindexed_item_pkey" PRIMARY KEY ("account_id","message_hash","position")
);

-- CreateTable
CREATE TABLE "chunk" (
    "account_id" UUID NOT NULL,
    "doc" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,
    "message_hash" BYTEA NOT NULL,
    "position" INTEGER NOT NULL,
    "start" INTEGER NOT NULL,
    "words" INTEGER NOT NULL,
    "text" TEXT,

    CONSTRAINT "chunk_pkey" PRIMARY KEY ("account_id","doc","n")
);

-- CreateTable
CREATE TABLE "posting" (
    "account_id" UUID NOT NULL,
    "level" SMALLINT NOT NULL,
    "term" TEXT NOT NULL,
    "batch" INTEGER NOT NULL,
    "low" INTEGER NOT NULL,
    "high" INTEGER NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "posting_pkey" PRIMARY KEY ("account_id","level","term","batch")
);

-- CreateIndex
CREATE INDEX "unindexed_item_account_id_n_idx" ON "unindexed_item"("account_id", "n");

-- CreateIndex
CREATE INDEX "chunk_account_id_message_hash_position_idx" ON "chunk"("account_id", "message_hash", "position");

-- CreateIndex
CREATE INDEX "chunk_first_idx" ON "chunk"("account_id", "doc") WHERE (start = 0);

-- AddForeignKey
ALTER TABLE "search_state" ADD CONSTRAINT "search_state_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "unindexed_item" ADD CONSTRAINT "unindexed_item_account_id_message_hash_position_fkey" FOREIGN KEY ("account_id", "message_hash", "position") REFERENCES "item"("account_id", "message_hash", "position") ON DELETE CASCADE ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "chunk" ADD CONSTRAINT "chunk_account_id_message_hash_position_fkey" FOREIGN KEY ("account_id", "message_hash", "position") REFERENCES "item"("account_id", "message_hash", "position") ON DELETE RESTRICT ON UPDATE RESTRICT;


-- By hand from here: what Prisma's language cannot say.

-- Terms are compared by their bytes, so that a beginning is a range whatever the database's order is.
ALTER TABLE "posting" ALTER COLUMN "term" TYPE TEXT COLLATE "C";
ALTER TABLE "search_state" ALTER COLUMN "joined_up_to" TYPE TEXT COLLATE "C";

DO $$
BEGIN
  ALTER TABLE "chunk" ALTER COLUMN "text" SET COMPRESSION lz4;
  ALTER TABLE "posting" ALTER COLUMN "data" SET COMPRESSION lz4;
EXCEPTION
  WHEN feature_not_supported THEN NULL;
END
$$;

ALTER TABLE "chunk" ADD CONSTRAINT "chunk_place" CHECK ("doc" >= 0 AND "n" BETWEEN 0 AND 65535 AND "start" >= 0);
ALTER TABLE "posting" ADD CONSTRAINT "posting_data" CHECK (octet_length("data") % 8 = 0 AND octet_length("data") > 0);

-- Whoever writes an item, in whatever way, leaves word for the search in the same transaction.
CREATE FUNCTION "leave_word_for_search"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "unindexed_item" ("account_id", "message_hash", "position")
  SELECT "account_id", "message_hash", "position" FROM "written";
  RETURN NULL;
END
$$;
CREATE TRIGGER "item_for_search" AFTER INSERT ON "item" REFERENCING NEW TABLE AS "written"
FOR EACH STATEMENT EXECUTE FUNCTION "leave_word_for_search"();

-- What was archived before there was a search, oldest first.
INSERT INTO "unindexed_item" ("account_id", "message_hash", "position")
SELECT i."account_id", i."message_hash", i."position"
FROM "item" i JOIN "message" m ON m."account_id" = i."account_id" AND m."hash" = i."message_hash"
ORDER BY m."seen_at", i."message_hash", i."position";
