-- CreateTable
CREATE TABLE "ledger_request" (
    "account_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "session_id" UUID,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "model" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "subscription" BOOLEAN NOT NULL,
    "kind" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "calls" BIGINT NOT NULL,
    "input" BIGINT NOT NULL,
    "write" BIGINT NOT NULL,
    "write_long" BIGINT NOT NULL,
    "read" BIGINT NOT NULL,
    "output" BIGINT NOT NULL,
    "reasoning" BIGINT NOT NULL,
    "searches" BIGINT NOT NULL,
    "actual" BIGINT NOT NULL,
    "direct" BIGINT NOT NULL,
    "trimming" BIGINT NOT NULL,
    "recall" BIGINT NOT NULL,
    "eviction" BIGINT NOT NULL,
    "retrieval" BIGINT NOT NULL,
    "memory" BIGINT NOT NULL,
    "estimate" BIGINT NOT NULL,
    "direct_tokens" BIGINT NOT NULL,
    "trimming_tokens" BIGINT NOT NULL,
    "recall_tokens" BIGINT NOT NULL,
    "eviction_tokens" BIGINT NOT NULL,
    "retrieval_tokens" BIGINT NOT NULL,
    "memory_tokens" BIGINT NOT NULL,
    "estimate_tokens" BIGINT NOT NULL,

    CONSTRAINT "ledger_request_pkey" PRIMARY KEY ("account_id","request_id")
);

-- CreateTable
CREATE TABLE "ledger_call" (
    "account_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "n" INTEGER NOT NULL,
    "feature" TEXT,
    "model" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "input" BIGINT NOT NULL,
    "write" BIGINT NOT NULL,
    "write_long" BIGINT NOT NULL,
    "read" BIGINT NOT NULL,
    "output" BIGINT NOT NULL,
    "reasoning" BIGINT NOT NULL,
    "searches" BIGINT NOT NULL,
    "amount" BIGINT,
    "prices" JSON NOT NULL,

    CONSTRAINT "ledger_call_pkey" PRIMARY KEY ("account_id","request_id","n")
);

-- CreateTable
CREATE TABLE "ledger_sum" (
    "account_id" UUID NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "model" TEXT NOT NULL,
    "agent" TEXT NOT NULL,
    "subscription" BOOLEAN NOT NULL,
    "kind" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "calls" BIGINT NOT NULL,
    "input" BIGINT NOT NULL,
    "write" BIGINT NOT NULL,
    "write_long" BIGINT NOT NULL,
    "read" BIGINT NOT NULL,
    "output" BIGINT NOT NULL,
    "reasoning" BIGINT NOT NULL,
    "searches" BIGINT NOT NULL,
    "actual" BIGINT NOT NULL,
    "direct" BIGINT NOT NULL,
    "trimming" BIGINT NOT NULL,
    "recall" BIGINT NOT NULL,
    "eviction" BIGINT NOT NULL,
    "retrieval" BIGINT NOT NULL,
    "memory" BIGINT NOT NULL,
    "estimate" BIGINT NOT NULL,
    "direct_tokens" BIGINT NOT NULL,
    "trimming_tokens" BIGINT NOT NULL,
    "recall_tokens" BIGINT NOT NULL,
    "eviction_tokens" BIGINT NOT NULL,
    "retrieval_tokens" BIGINT NOT NULL,
    "memory_tokens" BIGINT NOT NULL,
    "estimate_tokens" BIGINT NOT NULL,

    CONSTRAINT "ledger_sum_pkey" PRIMARY KEY ("account_id","at","model","agent","subscription","kind","state")
);

-- CreateTable
CREATE TABLE "ledger_cache" (
    "account_id" UUID NOT NULL,
    "place" TEXT NOT NULL,
    "lifetimes" BIGINT[],
    "expires" BIGINT[],
    "readable" BIGINT[],
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "ledger_cache_pkey" PRIMARY KEY ("account_id","place")
);

-- CreateIndex
CREATE INDEX "ledger_request_account_id_at_idx" ON "ledger_request"("account_id", "at");

-- CreateIndex
CREATE INDEX "ledger_request_account_id_session_id_at_idx" ON "ledger_request"("account_id", "session_id", "at");

-- CreateIndex
CREATE INDEX "ledger_cache_account_id_until_idx" ON "ledger_cache"("account_id", "until");

-- The lines of a row, and of every sum of rows, lead from the direct arm to what was paid, to the nano-dollar; and its
-- tokens from the one's to the other's.
ALTER TABLE "ledger_request" ADD CONSTRAINT "ledger_request_lines" CHECK (
  CASE WHEN "kind" IN ('compared', 'capped')
    THEN "direct" + "trimming" + "recall" + "eviction" + "retrieval" + "memory" + "estimate" = "actual"
     AND "direct_tokens" + "trimming_tokens" + "recall_tokens" + "eviction_tokens" + "retrieval_tokens" + "memory_tokens"
       + "estimate_tokens" = "input" + "write" + "write_long" + "read" + "output" + "reasoning"
    ELSE "direct" = 0 AND "trimming" = 0 AND "recall" = 0 AND "eviction" = 0 AND "retrieval" = 0 AND "memory" = 0
     AND "estimate" = 0 AND "kind" IN ('uncompared', 'unpriced')
  END);
ALTER TABLE "ledger_sum" ADD CONSTRAINT "ledger_sum_lines" CHECK (
  "kind" NOT IN ('compared', 'capped')
  OR "direct" + "trimming" + "recall" + "eviction" + "retrieval" + "memory" + "estimate" = "actual");

-- A request that is deleted, by a person or by retention, leaves sums by quarter of an hour: what was paid stays known, and
-- nothing tells any more by whom, where or for what. Whoever deletes requests, and in the same transaction.
CREATE FUNCTION ledger_fold() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  WITH rows AS (
    DELETE FROM ledger_request r USING gone WHERE r.account_id = gone.account_id AND r.request_id = gone.id
    RETURNING r.*
  ), calls AS (
    DELETE FROM ledger_call c USING rows WHERE c.account_id = rows.account_id AND c.request_id = rows.request_id
  )
  INSERT INTO ledger_sum AS s (account_id, at, model, agent, subscription, kind, state, requests, calls, input, write,
    write_long, read, output, reasoning, searches, actual, direct, trimming, recall, eviction, retrieval, memory, estimate,
    direct_tokens, trimming_tokens, recall_tokens, eviction_tokens, retrieval_tokens, memory_tokens, estimate_tokens)
  SELECT account_id, date_bin('15 minutes', at, '2000-01-01T00:00:00Z'), model, agent, subscription, kind, state,
    sum(requests), sum(calls), sum(input), sum(write), sum(write_long), sum(read), sum(output), sum(reasoning),
    sum(searches), sum(actual), sum(direct), sum(trimming), sum(recall), sum(eviction), sum(retrieval), sum(memory),
    sum(estimate), sum(direct_tokens), sum(trimming_tokens), sum(recall_tokens), sum(eviction_tokens),
    sum(retrieval_tokens), sum(memory_tokens), sum(estimate_tokens)
  FROM rows GROUP BY 1, 2, 3, 4, 5, 6, 7
  ON CONFLICT (account_id, at, model, agent, subscription, kind, state) DO UPDATE SET
    requests = s.requests + EXCLUDED.requests, calls = s.calls + EXCLUDED.calls, input = s.input + EXCLUDED.input,
    write = s.write + EXCLUDED.write, write_long = s.write_long + EXCLUDED.write_long, read = s.read + EXCLUDED.read,
    output = s.output + EXCLUDED.output, reasoning = s.reasoning + EXCLUDED.reasoning,
    searches = s.searches + EXCLUDED.searches, actual = s.actual + EXCLUDED.actual, direct = s.direct + EXCLUDED.direct,
    trimming = s.trimming + EXCLUDED.trimming, recall = s.recall + EXCLUDED.recall,
    eviction = s.eviction + EXCLUDED.eviction, retrieval = s.retrieval + EXCLUDED.retrieval,
    memory = s.memory + EXCLUDED.memory, estimate = s.estimate + EXCLUDED.estimate,
    direct_tokens = s.direct_tokens + EXCLUDED.direct_tokens,
    trimming_tokens = s.trimming_tokens + EXCLUDED.trimming_tokens,
    recall_tokens = s.recall_tokens + EXCLUDED.recall_tokens,
    eviction_tokens = s.eviction_tokens + EXCLUDED.eviction_tokens,
    retrieval_tokens = s.retrieval_tokens + EXCLUDED.retrieval_tokens,
    memory_tokens = s.memory_tokens + EXCLUDED.memory_tokens,
    estimate_tokens = s.estimate_tokens + EXCLUDED.estimate_tokens;
  RETURN NULL;
END $$;
CREATE TRIGGER request_ledger_fold AFTER DELETE ON request REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_fold();
