import type { AgentForms } from '../../conversation/index.ts';

/**
 * OpenCode (1.18.33) sends a call of a tool that it does not have back as one of its tool `invalid`, whose input says
 * which tool was called and what was wrong with it.
 */
export const isRenamedByOpenCode: NonNullable<AgentForms['isRenamed']> = (known, echoed) =>
  echoed.tool?.name === 'invalid' && known.tool?.name !== 'invalid' && echoed.text.startsWith('{"tool":');
