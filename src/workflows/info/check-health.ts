import type { PublicContext } from '#core/context.ts';

export async function checkHealth(_input: unknown, _context: PublicContext) {
  return { status: 'ok' };
}
