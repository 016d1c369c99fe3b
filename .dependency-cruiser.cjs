// Who may import whom. Every rule is an error. The arrows: app → gateway, api, jobs → domains → conversation, redaction → kernel.

const TESTS = '\\.test\\.tsx?$|/testing[a-z-]*\\.ts$|/testing/';
/** Folders of one subject each; they meet only in gateway, api and jobs. */
const DOMAINS = ['archive', 'recall', 'context', 'memory', 'ledger', 'plans', 'accounts'];
const DOMAIN = `^server/(${DOMAINS.join('|')})/`;
/** Folders with one door: from outside only their index.ts is imported. */
const DOORS = [...DOMAINS, 'conversation', 'redaction', 'db', 'api', 'gateway', 'jobs'];

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'A cycle makes two files one. Imports of types alone count too.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'nothing-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(\\./)?(\\.next|generated)|/generated/' },
    },
    {
      name: 'no-development-packages-in-the-product',
      severity: 'error',
      from: { path: '^(app|server)/', pathNot: `${TESTS}|^server/cli/` },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'kernel-stands-alone',
      severity: 'error',
      from: { path: '^server/kernel/' },
      to: { path: '^(server/(?!kernel/)|app/|e2e/)' },
    },
    {
      name: 'conversation-and-redaction-know-the-kernel-alone',
      severity: 'error',
      from: { path: '^server/(conversation|redaction)/', pathNot: TESTS },
      to: { path: '^(server/|app/|e2e/)', pathNot: '^server/(kernel|conversation|redaction)/' },
    },
    {
      name: 'domains-know-what-lies-below',
      severity: 'error',
      comment: 'Two domains meet in gateway, api or a job, never in each other.',
      from: { path: DOMAIN, pathNot: TESTS },
      to: {
        path: '^(server/|app/|e2e/)',
        pathNot: ['^server/(kernel|conversation|redaction|db)/', '^server/$1/'],
      },
    },
    {
      name: 'domains-know-no-transport',
      severity: 'error',
      from: { path: `${DOMAIN}|^server/(conversation|redaction|kernel|db)/` },
      to: { path: '(^|node_modules/)(next|react|react-dom|@trpc/[^/]+)(/|$)' },
    },
    {
      name: 'database-knows-the-kernel-alone',
      severity: 'error',
      from: { path: '^server/db/' },
      to: { path: '^(server/(?!(db|kernel)/)|app/|e2e/)' },
    },
    {
      name: 'gateway-and-jobs-know-no-pages',
      severity: 'error',
      from: { path: '^server/(gateway|jobs)/', pathNot: TESTS },
      to: { path: '^(app/|e2e/|server/(api|main|services))' },
    },
    {
      name: 'api-knows-no-pages',
      severity: 'error',
      from: { path: '^server/api/', pathNot: TESTS },
      to: { path: '^(app/|e2e/|server/(main|services))' },
    },
    {
      name: 'tests-may-use-the-simulator-alone',
      severity: 'error',
      from: { path: '^(app|server)/', pathNot: '^$' },
      to: { path: '^e2e/', pathNot: '^e2e/simulator/' },
    },
    {
      name: 'product-knows-no-end-to-end-code',
      severity: 'error',
      from: { path: '^(app|server)/', pathNot: TESTS },
      to: { path: '^e2e/' },
    },
    ...DOORS.map((folder) => ({
      name: `only-the-door-of-${folder}`,
      severity: 'error',
      comment: `From outside, server/${folder} is imported through its index.ts (types.ts is the contract beside it).`,
      from: { path: '^(app|server|e2e)/', pathNot: `^server/${folder}/|${TESTS}` },
      to: {
        path: `^server/${folder}/`,
        pathNot: `^server/${folder}/(index|types|model|adapter)\\.ts$`,
      },
    })),
    {
      name: 'the-command-talks-http-only',
      severity: 'error',
      comment: 'server/cli is published by itself.',
      from: { path: '^server/cli/' },
      to: { path: '^(server/(?!cli/)|app/|e2e/)' },
    },
    {
      name: 'nobody-uses-the-command-from-inside',
      severity: 'error',
      from: { path: '^(app|server)/', pathNot: '^server/cli/' },
      to: { path: '^server/cli/' },
    },
    {
      name: 'the-simulator-stands-alone',
      severity: 'error',
      comment: 'It judges what the product sends, so it may share none of its code.',
      from: { path: '^e2e/simulator/' },
      to: { path: '^(server/|app/|e2e/(?!simulator/))' },
    },
    {
      name: 'components-know-no-domain',
      severity: 'error',
      from: { path: '^app/_ui/' },
      to: { path: '^(server/|app/(?!_ui/|_lib/))' },
    },
    {
      name: 'nobody-imports-setup-or-tests',
      severity: 'error',
      from: { pathNot: `^server/setup/|${TESTS}|^vitest|^e2e/` },
      to: { path: `^server/setup/|${TESTS}` },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(node_modules|\\.next|dist|recorded|generated)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
