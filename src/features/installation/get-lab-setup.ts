import type { ReadContext } from '#core/context.ts';
import type { Input } from '#core/operation.ts';
import type { getLabSetup as operation } from './setup-contract.ts';
import { describeSetup } from './setup-rules.ts';

/** `GET /lab/setup`: what the settings of the installation leave open. */
export async function getLabSetup(_input: Input<typeof operation>, { site }: ReadContext) {
  return { items: describeSetup(site) };
}
