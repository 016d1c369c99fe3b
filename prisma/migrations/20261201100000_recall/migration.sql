-- CreateTable
CREATE TABLE "beginning" (
    "account_id" UUID NOT NULL,
    "agent" TEXT NOT NULL,
    "session" TEXT NOT NULL,
    "thread" TEXT NOT NULL,
    "began" BYTEA NOT NULL,
    "choices" JSON NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "beginning_pkey" PRIMARY KEY ("account_id","agent","session","thread","began")
);

-- CreateTable
CREATE TABLE "layout" (
    "account_id" UUID NOT NULL,
    "made_at" BYTEA NOT NULL,
    "reason" TEXT NOT NULL,
    "content" JSON,
    "choices" JSON NOT NULL,
    "agent" TEXT NOT NULL,
    "session" TEXT NOT NULL,
    "thread" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "tokens_before" INTEGER NOT NULL,
    "tokens_after" INTEGER NOT NULL,

    CONSTRAINT "layout_pkey" PRIMARY KEY ("account_id","made_at")
);

-- CreateTable
CREATE TABLE "splice" (
    "account_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "protocol" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "session" TEXT NOT NULL,
    "thread" TEXT NOT NULL,
    "anchors" TEXT[],
    "documents" TEXT[],
    "data" JSON,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "splice_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "splice_anchor" (
    "account_id" UUID NOT NULL,
    "anchor" TEXT NOT NULL,
    "splice_id" UUID NOT NULL,

    CONSTRAINT "splice_anchor_pkey" PRIMARY KEY ("account_id","anchor","splice_id")
);

-- CreateTable
CREATE TABLE "splice_document" (
    "account_id" UUID NOT NULL,
    "docid" TEXT NOT NULL,
    "splice_id" UUID NOT NULL,

    CONSTRAINT "splice_document_pkey" PRIMARY KEY ("account_id","docid","splice_id")
);

-- CreateTable
CREATE TABLE "recall_state" (
    "account_id" UUID NOT NULL,
    "version" BIGINT NOT NULL,

    CONSTRAINT "recall_state_pkey" PRIMARY KEY ("account_id")
);

-- AlterTable
ALTER TABLE "request" ADD COLUMN     "view" JSON;

-- CreateIndex
CREATE INDEX "beginning_account_id_began_idx" ON "beginning"("account_id", "began");

-- CreateIndex
CREATE INDEX "layout_account_id_agent_session_idx" ON "layout"("account_id", "agent", "session");

-- CreateIndex
CREATE INDEX "splice_account_id_agent_session_idx" ON "splice"("account_id", "agent", "session");

-- CreateIndex
CREATE INDEX "splice_anchor_account_id_splice_id_idx" ON "splice_anchor"("account_id", "splice_id");

-- CreateIndex
CREATE INDEX "splice_document_account_id_splice_id_idx" ON "splice_document"("account_id", "splice_id");

-- AddForeignKey
ALTER TABLE "splice_anchor" ADD CONSTRAINT "splice_anchor_account_id_splice_id_fkey" FOREIGN KEY ("account_id", "splice_id") REFERENCES "splice"("account_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "splice_document" ADD CONSTRAINT "splice_document_account_id_splice_id_fkey" FOREIGN KEY ("account_id", "splice_id") REFERENCES "splice"("account_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;


-- By hand from here: what Prisma's language cannot say.
DO $$
BEGIN
  ALTER TABLE "beginning" ALTER COLUMN "choices" SET COMPRESSION lz4;
  ALTER TABLE "layout" ALTER COLUMN "content" SET COMPRESSION lz4;
  ALTER TABLE "layout" ALTER COLUMN "choices" SET COMPRESSION lz4;
  ALTER TABLE "splice" ALTER COLUMN "data" SET COMPRESSION lz4;
  ALTER TABLE "request" ALTER COLUMN "view" SET COMPRESSION lz4;
EXCEPTION
  WHEN feature_not_supported THEN NULL;
END
$$;

ALTER TABLE "beginning" ADD CONSTRAINT "beginning_began_size" CHECK (octet_length("began") = 32);
ALTER TABLE "layout" ADD CONSTRAINT "layout_made_at_size" CHECK (octet_length("made_at") = 32);
ALTER TABLE "splice" ADD CONSTRAINT "splice_protocol" CHECK ("protocol" IN ('anthropic', 'openai'));
