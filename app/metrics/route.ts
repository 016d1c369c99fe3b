import { answerOperation } from '@/app/_lib/operations.ts';

export const dynamic = 'force-dynamic';

export const GET = answerOperation;
