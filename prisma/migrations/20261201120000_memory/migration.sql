-- Plain columns in an exclusion constraint. Trusted since PostgreSQL 13: the owner of a database may make it.
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- CreateTable
CREATE TABLE "slot" (
    "account_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "scope_kind" TEXT NOT NULL,
    "scope_id" UUID NOT NULL,
    "subject" TEXT NOT NULL,
    "predicate" TEXT NOT NULL,
    "subject_key" TEXT NOT NULL,
    "predicate_key" TEXT NOT NULL,
    "usual_arity" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "slot_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "statement" (
    "account_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "slot_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "value" TEXT,
    "value_key" TEXT,
    "valid_from" TIMESTAMPTZ(3),
    "target" UUID,
    "reason" TEXT,
    "arity" TEXT,
    "authority" TEXT NOT NULL,
    "author" TEXT NOT NULL,
    "said_at" TIMESTAMPTZ(3) NOT NULL,
    "docid" TEXT,
    "span_start" INTEGER NOT NULL,
    "span_end" INTEGER NOT NULL,
    "note" TEXT,
    "recorded_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "statement_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "fact_version" (
    "account_id" UUID NOT NULL,
    "fact" UUID NOT NULL,
    "recorded_from" TIMESTAMPTZ(3) NOT NULL,
    "recorded_to" TIMESTAMPTZ(3),
    "slot_id" UUID NOT NULL,
    "arity" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "value_key" TEXT NOT NULL,
    "value_hash" BYTEA NOT NULL,
    "valid_from" TIMESTAMPTZ(3) NOT NULL,
    "valid_to" TIMESTAMPTZ(3),
    "closed_by" UUID,
    "cause" TEXT NOT NULL,
    "caused_by" UUID,
    "end_cause" TEXT,
    "ended_by" UUID,

    CONSTRAINT "fact_version_pkey" PRIMARY KEY ("account_id","fact","recorded_from")
);

-- CreateIndex
CREATE UNIQUE INDEX "slot_account_id_scope_id_subject_key_predicate_key_key" ON "slot"("account_id", "scope_id", "subject_key", "predicate_key");

-- CreateIndex
CREATE INDEX "statement_account_id_slot_id_idx" ON "statement"("account_id", "slot_id");

-- CreateIndex
CREATE INDEX "statement_account_id_docid_idx" ON "statement"("account_id", "docid");

-- CreateIndex
CREATE INDEX "fact_version_account_id_slot_id_recorded_from_idx" ON "fact_version"("account_id", "slot_id", "recorded_from");

-- CreateIndex
CREATE INDEX "fact_version_current_idx" ON "fact_version"("account_id", "slot_id") WHERE (recorded_to IS NULL);

-- AddForeignKey
ALTER TABLE "statement" ADD CONSTRAINT "statement_account_id_slot_id_fkey" FOREIGN KEY ("account_id", "slot_id") REFERENCES "slot"("account_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "fact_version" ADD CONSTRAINT "fact_version_account_id_slot_id_fkey" FOREIGN KEY ("account_id", "slot_id") REFERENCES "slot"("account_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;


-- By hand from here: what Prisma's language cannot say.

-- At no instant on both clocks does a slot of one value have two, or a slot of many one twice. An event's range is empty.
ALTER TABLE "fact_version" ADD CONSTRAINT "fact_version_one_value" EXCLUDE USING gist (
  "account_id" WITH =, "slot_id" WITH =,
  tstzrange("valid_from", "valid_to") WITH &&, tstzrange("recorded_from", "recorded_to") WITH &&
) WHERE ("arity" IN ('one', 'pair'));
ALTER TABLE "fact_version" ADD CONSTRAINT "fact_version_each_value_once" EXCLUDE USING gist (
  "account_id" WITH =, "slot_id" WITH =, "value_hash" WITH =,
  tstzrange("valid_from", "valid_to") WITH &&, tstzrange("recorded_from", "recorded_to") WITH &&
) WHERE ("arity" = 'many');

ALTER TABLE "slot" ADD CONSTRAINT "slot_scope_kind" CHECK ("scope_kind" IN ('project', 'worktree', 'thread'));
ALTER TABLE "slot" ADD CONSTRAINT "slot_usual_arity" CHECK ("usual_arity" IN ('one', 'many', 'event', 'pair'));
ALTER TABLE "statement" ADD CONSTRAINT "statement_authority" CHECK ("authority" IN ('person', 'extractor', 'import'));
ALTER TABLE "statement" ADD CONSTRAINT "statement_kind" CHECK (CASE "kind"
  WHEN 'value' THEN "value" IS NOT NULL AND "value_key" IS NOT NULL AND "valid_from" IS NOT NULL
  WHEN 'reopen' THEN "value" IS NOT NULL AND "value_key" IS NOT NULL AND "valid_from" IS NOT NULL
  WHEN 'end' THEN "valid_from" IS NOT NULL AND ("value" IS NULL) = ("value_key" IS NULL)
  WHEN 'void' THEN "target" IS NOT NULL AND "reason" IN ('retracted', 'corrected', 'undone')
  WHEN 'arity' THEN "arity" IN ('one', 'many', 'event', 'pair')
  ELSE false END);
ALTER TABLE "fact_version" ADD CONSTRAINT "fact_version_arity" CHECK ("arity" IN ('one', 'many', 'event', 'pair'));
ALTER TABLE "fact_version" ADD CONSTRAINT "fact_version_value_hash_size" CHECK (octet_length("value_hash") = 16);
ALTER TABLE "fact_version" ADD CONSTRAINT "fact_version_ranges" CHECK (
  ("recorded_to" IS NULL OR "recorded_to" > "recorded_from")
  AND ("valid_to" IS NULL OR CASE WHEN "arity" = 'event' THEN "valid_to" = "valid_from" ELSE "valid_to" > "valid_from" END));
