export { fuzzAnswers, fuzzNames, fuzzRequests } from '../../server/gateway/reading/testing/fuzz.ts';
