-- AlterTable
ALTER TABLE "posting" ADD COLUMN     "neighbours" BYTEA;

-- AlterTable
ALTER TABLE "search_state" ADD COLUMN     "neighbours_from" INTEGER,
ADD COLUMN     "neighbours_until" INTEGER;


-- By hand from here: what Prisma's language cannot say.

DO $$
BEGIN
  ALTER TABLE "posting" ALTER COLUMN "neighbours" SET COMPRESSION lz4;
EXCEPTION
  WHEN feature_not_supported THEN NULL;
END
$$;

-- Rows of before hold nothing there, so that they need not be looked at while the table is locked.
ALTER TABLE "posting" ADD CONSTRAINT "posting_neighbours" CHECK (octet_length("neighbours") * 2 = octet_length("data")) NOT VALID;

-- What stands beside the words of rows of before is learned in the background.
UPDATE "search_state" SET "neighbours_from" = 0, "neighbours_until" = "next_doc" WHERE "next_doc" > 0;
