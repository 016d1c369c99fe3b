import { as, type Endpoint } from './endpoint.ts';
import { ledgerDetail, ledgerGroups, ledgerInput, ledgerRequest, ledgerRequestsInput } from './ledger.ts';
import { requestInput } from './requests.ts';
import { pageOf } from './schemas.ts';

/** What requests cost. */
export const LEDGER_ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/ledger',
    operationId: 'getLedger',
    summary:
      'Money and tokens, direct and actual, by feature, session, project, model, day or quarter of an hour',
    input: ledgerInput,
    output: ledgerGroups,
    call: (caller, given) => caller.ledger.sums(as(given)),
  },
  {
    method: 'GET',
    path: '/ledger/requests',
    operationId: 'listLedgerRequests',
    summary: 'Requests with what they cost, oldest first',
    input: ledgerRequestsInput,
    output: pageOf(ledgerRequest),
    call: (caller, given) => caller.ledger.requests(as(given)),
  },
  {
    method: 'GET',
    path: '/ledger/requests/{id}',
    operationId: 'getLedgerRequest',
    summary: 'One request with its upstream calls and the prices in force',
    input: requestInput,
    output: ledgerDetail,
    call: (caller, given) => caller.ledger.request(as(given)),
  },
];
