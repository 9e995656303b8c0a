/** Stands between the service and a facilitator, and fails in the way a test has set. */
import { startLocalDoor, passOn } from './local-door.ts';

export type ProxyMode =
  | 'pass'
  /** Closes the connection without having asked. */
  | 'down'
  /** Never answers. */
  | 'hang'
  | 'error'
  /** The facilitator does its work, and its answer is lost. */
  | 'answer lost'
  /** Claims success without having done anything. */
  | 'lie'
  /** Refuses without having asked, with a reason that nobody expects. */
  | 'refuse';

export interface FacilitatorProxy {
  readonly url: string;
  readonly calls: { verify: number; settle: number };
  /** What happens to each kind of request from now on. */
  readonly mode: { verify: ProxyMode; settle: ProxyMode };
  reset(): void;
}

const LIE = {
  success: true,
  isValid: true,
  payer: '0x0000000000000000000000000000000000000001',
  transaction: `0x${'1'.repeat(64)}`,
  network: 'eip155:84532',
};
const REFUSAL = {
  ...LIE,
  success: false,
  isValid: false,
  transaction: '',
  errorReason: 'a_reason\nnobody_expects',
  invalidReason: 'a_reason\nnobody_expects',
};

export async function createFacilitatorProxy(target: () => string): Promise<FacilitatorProxy> {
  const calls = { verify: 0, settle: 0 };
  const mode: FacilitatorProxy['mode'] = { verify: 'pass', settle: 'pass' };
  const url = await startLocalDoor(async (request, response, body) => {
    const kind = request.url === '/settle' ? 'settle' : 'verify';
    calls[kind] += 1;
    const answer = (status: number, content: unknown): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(typeof content === 'string' ? content : JSON.stringify(content));
    const now = mode[kind];
    if (now === 'down') return void request.socket.destroy();
    if (now === 'hang') return;
    if (now === 'error') return answer(500, { error: 'broken' });
    if (now === 'lie') return answer(200, LIE);
    if (now === 'refuse') return answer(200, REFUSAL);
    const given = await passOn(target(), request, body);
    if (now === 'answer lost') return void request.socket.destroy();
    answer(given.status, given.content);
  });
  return {
    url,
    calls,
    mode,
    reset() {
      calls.verify = 0;
      calls.settle = 0;
      mode.verify = 'pass';
      mode.settle = 'pass';
    },
  };
}
