-- CreateTable
CREATE TABLE "setting" (
    "account_id" UUID NOT NULL,
    "scope" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "value" JSONB NOT NULL,
    "set_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "setting_pkey" PRIMARY KEY ("account_id","scope","name")
);

-- CreateTable
CREATE TABLE "pending_deletion" (
    "account_id" UUID NOT NULL,
    "subject" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "asked_at" TIMESTAMPTZ(3) NOT NULL,
    "due_at" TIMESTAMPTZ(3) NOT NULL,
    "begun_at" TIMESTAMPTZ(3),

    CONSTRAINT "pending_deletion_pkey" PRIMARY KEY ("account_id","subject")
);


-- By hand from here: what Prisma's language cannot say.
ALTER TABLE "pending_deletion" ADD CONSTRAINT "pending_deletion_kind" CHECK ("kind" IN ('session', 'project', 'archive'));
