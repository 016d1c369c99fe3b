-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "handle" TEXT NOT NULL,
    "sealed_key" BYTEA NOT NULL,
    "clock_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "project" (
    "account_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "project_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "project_identity" (
    "account_id" UUID NOT NULL,
    "identity" TEXT NOT NULL,
    "project_id" UUID NOT NULL,

    CONSTRAINT "project_identity_pkey" PRIMARY KEY ("account_id","identity")
);

-- CreateTable
CREATE TABLE "worktree" (
    "account_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "path" TEXT NOT NULL,
    "branch" TEXT,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "worktree_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "session" (
    "account_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "agent" TEXT NOT NULL,
    "agent_version" TEXT,
    "client_session_id" TEXT,
    "project_id" UUID,
    "worktree_id" UUID,
    "title" TEXT NOT NULL DEFAULT '',
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "turns" INTEGER NOT NULL DEFAULT 0,
    "requests" INTEGER NOT NULL DEFAULT 0,
    "next_seq" INTEGER NOT NULL DEFAULT 1,
    "fork_session_id" UUID,
    "fork_seq" INTEGER,

    CONSTRAINT "session_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "thread" (
    "account_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "client_thread_id" TEXT NOT NULL,
    "parent_thread_id" TEXT,
    "head" BYTEA,
    "last_request" BYTEA,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "thread_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "preamble" (
    "account_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "names" TEXT[],
    "bodies" BYTEA[],

    CONSTRAINT "preamble_pkey" PRIMARY KEY ("account_id","hash")
);

-- CreateTable
CREATE TABLE "message" (
    "account_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "parent" BYTEA NOT NULL,
    "role" TEXT NOT NULL,
    "origin" TEXT NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "message_pkey" PRIMARY KEY ("account_id","hash")
);

-- CreateTable
CREATE TABLE "message_alias" (
    "account_id" UUID NOT NULL,
    "slice" BYTEA NOT NULL,
    "parent" BYTEA NOT NULL,
    "message_hash" BYTEA NOT NULL,

    CONSTRAINT "message_alias_pkey" PRIMARY KEY ("account_id","slice","parent")
);

-- CreateTable
CREATE TABLE "item" (
    "account_id" UUID NOT NULL,
    "message_hash" BYTEA NOT NULL,
    "position" INTEGER NOT NULL,
    "docid" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "tool_name" TEXT,
    "tool_namespace" TEXT,
    "call_id" TEXT,
    "is_error" BOOLEAN NOT NULL,
    "main_input" TEXT,
    "path" TEXT,
    "text" TEXT NOT NULL,
    "exact" BYTEA,
    "body" BYTEA,
    "chars" INTEGER NOT NULL,
    "bytes" BIGINT NOT NULL,
    "original_size" BIGINT NOT NULL,
    "original_hash" BYTEA NOT NULL,
    "masked" BOOLEAN NOT NULL,
    "stored_hash" BYTEA NOT NULL,
    "confirmed" BOOLEAN,
    "call_message" BYTEA,
    "call_position" INTEGER,

    CONSTRAINT "item_pkey" PRIMARY KEY ("account_id","message_hash","position")
);

-- CreateTable
CREATE TABLE "blob" (
    "account_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "mime" TEXT NOT NULL,
    "size" BIGINT NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "blob_pkey" PRIMARY KEY ("account_id","hash")
);

-- CreateTable
CREATE TABLE "media" (
    "account_id" UUID NOT NULL,
    "message_hash" BYTEA NOT NULL,
    "position" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,
    "blob_hash" BYTEA NOT NULL,
    "mime" TEXT NOT NULL,

    CONSTRAINT "media_pkey" PRIMARY KEY ("account_id","message_hash","position","n")
);

-- CreateTable
CREATE TABLE "event" (
    "account_id" UUID NOT NULL,
    "session_id" UUID NOT NULL,
    "seq" INTEGER NOT NULL,
    "thread_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "message_hash" BYTEA,
    "position" INTEGER,
    "worktree_id" UUID,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" BIGINT,
    "data" JSONB,

    CONSTRAINT "event_pkey" PRIMARY KEY ("account_id","session_id","seq")
);

-- CreateTable
CREATE TABLE "request" (
    "account_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "session_id" UUID,
    "thread_id" UUID,
    "door" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "path" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "agent_version" TEXT,
    "kind" TEXT NOT NULL,
    "model" TEXT,
    "stream" BOOLEAN NOT NULL,
    "retry" BOOLEAN NOT NULL,
    "received_at" TIMESTAMPTZ(3) NOT NULL,
    "request_bytes" BIGINT NOT NULL,
    "preamble_hash" BYTEA,
    "last_message" BYTEA,
    "note" TEXT,
    "ending" TEXT,
    "status" INTEGER,
    "response_bytes" BIGINT,
    "head_ms" DOUBLE PRECISION,
    "first_byte_ms" DOUBLE PRECISION,
    "total_ms" DOUBLE PRECISION,
    "own_ms" DOUBLE PRECISION,
    "provider_request_id" TEXT,
    "stop_reason" TEXT,
    "input_tokens" BIGINT,
    "cache_read_tokens" BIGINT,
    "cache_write_5m_tokens" BIGINT,
    "cache_write_1h_tokens" BIGINT,
    "cache_write_other_tokens" BIGINT,
    "output_tokens" BIGINT,
    "reasoning_tokens" BIGINT,
    "error_type" TEXT,
    "error_message" TEXT,

    CONSTRAINT "request_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "answer" (
    "account_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "provider_id" TEXT,
    "state" TEXT NOT NULL,
    "messages" BYTEA[],

    CONSTRAINT "answer_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateTable
CREATE TABLE "audit" (
    "account_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "actor" TEXT NOT NULL,
    "act" TEXT NOT NULL,
    "subject" UUID NOT NULL,
    "data" JSONB,

    CONSTRAINT "audit_pkey" PRIMARY KEY ("account_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_handle_key" ON "account"("handle");

-- CreateIndex
CREATE INDEX "project_identity_account_id_project_id_idx" ON "project_identity"("account_id", "project_id");

-- CreateIndex
CREATE UNIQUE INDEX "worktree_account_id_project_id_path_key" ON "worktree"("account_id", "project_id", "path");

-- CreateIndex
CREATE INDEX "session_account_id_last_seen_at_id_idx" ON "session"("account_id", "last_seen_at", "id");

-- CreateIndex
CREATE INDEX "session_account_id_project_id_last_seen_at_idx" ON "session"("account_id", "project_id", "last_seen_at");

-- CreateIndex
CREATE UNIQUE INDEX "session_account_id_agent_client_session_id_key" ON "session"("account_id", "agent", "client_session_id");

-- CreateIndex
CREATE UNIQUE INDEX "thread_account_id_session_id_client_thread_id_key" ON "thread"("account_id", "session_id", "client_thread_id");

-- CreateIndex
CREATE INDEX "message_account_id_parent_seen_at_idx" ON "message"("account_id", "parent", "seen_at");

-- CreateIndex
CREATE INDEX "message_alias_account_id_message_hash_idx" ON "message_alias"("account_id", "message_hash");

-- CreateIndex
CREATE INDEX "item_account_id_call_message_call_position_idx" ON "item"("account_id", "call_message", "call_position") WHERE (call_message IS NOT NULL);

-- CreateIndex
CREATE INDEX "item_unconfirmed_idx" ON "item"("account_id", "message_hash", "position") WHERE (confirmed IS NULL);

-- CreateIndex
CREATE UNIQUE INDEX "item_account_id_docid_key" ON "item"("account_id", "docid");

-- CreateIndex
CREATE INDEX "media_account_id_blob_hash_idx" ON "media"("account_id", "blob_hash");

-- CreateIndex
CREATE INDEX "event_account_id_message_hash_idx" ON "event"("account_id", "message_hash");

-- CreateIndex
CREATE UNIQUE INDEX "event_account_id_session_id_message_hash_position_key" ON "event"("account_id", "session_id", "message_hash", "position");

-- CreateIndex
CREATE INDEX "request_account_id_received_at_id_idx" ON "request"("account_id", "received_at", "id");

-- CreateIndex
CREATE INDEX "request_account_id_session_id_received_at_id_idx" ON "request"("account_id", "session_id", "received_at", "id");

-- CreateIndex
CREATE INDEX "request_account_id_agent_received_at_idx" ON "request"("account_id", "agent", "received_at");

-- CreateIndex
CREATE INDEX "request_account_id_preamble_hash_idx" ON "request"("account_id", "preamble_hash");

-- CreateIndex
CREATE INDEX "answer_account_id_request_id_idx" ON "answer"("account_id", "request_id");

-- CreateIndex
CREATE INDEX "audit_account_id_at_idx" ON "audit"("account_id", "at");

-- AddForeignKey
ALTER TABLE "project" ADD CONSTRAINT "project_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "project_identity" ADD CONSTRAINT "project_identity_account_id_project_id_fkey" FOREIGN KEY ("account_id", "project_id") REFERENCES "project"("account_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "worktree" ADD CONSTRAINT "worktree_account_id_project_id_fkey" FOREIGN KEY ("account_id", "project_id") REFERENCES "project"("account_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "session" ADD CONSTRAINT "session_account_id_fkey" FOREIGN KEY ("account_id") REFERENCES "account"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "thread" ADD CONSTRAINT "thread_account_id_session_id_fkey" FOREIGN KEY ("account_id", "session_id") REFERENCES "session"("account_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "message_alias" ADD CONSTRAINT "message_alias_account_id_message_hash_fkey" FOREIGN KEY ("account_id", "message_hash") REFERENCES "message"("account_id", "hash") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "item" ADD CONSTRAINT "item_account_id_message_hash_fkey" FOREIGN KEY ("account_id", "message_hash") REFERENCES "message"("account_id", "hash") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "media" ADD CONSTRAINT "media_account_id_message_hash_position_fkey" FOREIGN KEY ("account_id", "message_hash", "position") REFERENCES "item"("account_id", "message_hash", "position") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "media" ADD CONSTRAINT "media_account_id_blob_hash_fkey" FOREIGN KEY ("account_id", "blob_hash") REFERENCES "blob"("account_id", "hash") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "event" ADD CONSTRAINT "event_account_id_session_id_fkey" FOREIGN KEY ("account_id", "session_id") REFERENCES "session"("account_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "event" ADD CONSTRAINT "event_account_id_message_hash_fkey" FOREIGN KEY ("account_id", "message_hash") REFERENCES "message"("account_id", "hash") ON DELETE RESTRICT ON UPDATE RESTRICT;


-- By hand from here: what Prisma's language cannot say.

-- Document ids are compared by their bytes, so that a prefix is a range whatever the database's order is.
ALTER TABLE "item" ALTER COLUMN "docid" TYPE TEXT COLLATE "C";

-- Images and files are compressed already.
ALTER TABLE "blob" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;

-- LZ4 where the server was built with it; else what the server compresses with by default.
DO $$
BEGIN
  ALTER TABLE "item" ALTER COLUMN "text" SET COMPRESSION lz4;
  ALTER TABLE "item" ALTER COLUMN "exact" SET COMPRESSION lz4;
  ALTER TABLE "item" ALTER COLUMN "body" SET COMPRESSION lz4;
  ALTER TABLE "preamble" ALTER COLUMN "bodies" SET COMPRESSION lz4;
EXCEPTION
  WHEN feature_not_supported THEN NULL;
END
$$;

-- Names of a certain length, positions and states that mean something.
ALTER TABLE "message" ADD CONSTRAINT "message_hash_size" CHECK (octet_length("hash") = 32 AND octet_length("parent") = 32);
ALTER TABLE "message" ADD CONSTRAINT "message_origin" CHECK ("origin" IN ('received', 'produced'));
ALTER TABLE "message_alias" ADD CONSTRAINT "message_alias_slice_size" CHECK (octet_length("slice") = 16);
ALTER TABLE "item" ADD CONSTRAINT "item_position" CHECK ("position" >= 0);
ALTER TABLE "item" ADD CONSTRAINT "item_docid" CHECK ("docid" ~ '^[0-9a-f]{16,}$');
ALTER TABLE "session" ADD CONSTRAINT "session_next_seq" CHECK ("next_seq" >= 1);
ALTER TABLE "event" ADD CONSTRAINT "event_seq" CHECK ("seq" >= 1);
ALTER TABLE "answer" ADD CONSTRAINT "answer_state" CHECK ("state" IN ('complete', 'partial'));
