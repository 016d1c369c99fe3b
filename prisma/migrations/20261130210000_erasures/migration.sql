-- Counts deletions, so that what was read before one is never taken for stored after it.
ALTER TABLE "account" ADD COLUMN "erasures" INTEGER NOT NULL DEFAULT 0;
