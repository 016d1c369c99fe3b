-- Which tool calls read and changed which files: what `changed` of a document is found by.
CREATE TABLE "file_touch" (
    "account_id" UUID NOT NULL,
    "message_hash" BYTEA NOT NULL,
    "position" INTEGER NOT NULL,
    "n" INTEGER NOT NULL,
    "worktree_id" UUID NOT NULL,
    "path" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "tree" BOOLEAN NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "seq" INTEGER NOT NULL,

    CONSTRAINT "file_touch_pkey" PRIMARY KEY ("account_id","message_hash","position","n")
);

CREATE INDEX "file_touch_account_id_worktree_id_path_at_seq_idx" ON "file_touch"("account_id", "worktree_id", "path", "at", "seq");

ALTER TABLE "file_touch" ADD CONSTRAINT "file_touch_account_id_message_hash_position_fkey" FOREIGN KEY ("account_id", "message_hash", "position") REFERENCES "item"("account_id", "message_hash", "position") ON DELETE CASCADE ON UPDATE RESTRICT;

ALTER TABLE "file_touch" ADD CONSTRAINT "file_touch_kind" CHECK ("kind" IN ('read', 'write', 'edit', 'delete', 'move'));

-- Archives from before are filled in after the start, from the first message on; new accounts have nothing to fill in.
ALTER TABLE "account" ADD COLUMN "touch_cursor" BYTEA;
UPDATE "account" SET "touch_cursor" = ''::bytea;
