-- New words go into the index at once: what waits in its list is looked through whole by every look-up.
ALTER INDEX "fact_version_words_idx" SET (fastupdate = off);
SELECT gin_clean_pending_list('fact_version_words_idx'::regclass);
