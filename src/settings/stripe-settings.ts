/** The settings that select Stripe as the payment processor. */
import { type ReadText, type ReadWhole, SettingsError, type Setting } from './setting.ts';

export interface StripeKeys {
  readonly secretKey: string;
  readonly webhookSecret: string;
  /** Address of a stand-in for Stripe. */
  readonly apiBase: string | null;
  readonly timeoutMs: number;
  /**
   * The lab's profile, to which shared payment tokens must be granted; null: Stripe does not serve the rail mpp-spt.
   */
  readonly networkId: string | null;
}

export const stripeSettingList: readonly Setting[] = [
  {
    name: 'STRIPE_SECRET_KEY',
    isSecret: true,
    fallback: '',
    meaning: 'sk_… or rk_…: hosted invoices are collected by Stripe instead of the built-in processor',
  },
  {
    name: 'STRIPE_WEBHOOK_SECRET',
    isSecret: true,
    fallback: '',
    meaning: 'whsec_…: secret of the signature on requests of Stripe to /processor/notifications',
  },
  {
    name: 'STRIPE_NETWORK_ID',
    fallback: '',
    meaning: 'profile_…: serves the rail mpp-spt with shared payment tokens granted to this profile',
  },
  {
    name: 'STRIPE_DOCUMENTS',
    fallback: 'stripe',
    meaning: 'stripe or ours: source of the PDF of a quote or an invoice while Stripe is selected',
  },
  {
    name: 'STRIPE_API_BASE',
    fallback: '',
    meaning: 'address of a stand-in for Stripe: https, or http on this machine',
  },
  { name: 'STRIPE_TIMEOUT_MS', fallback: '10000', meaning: 'time limit of one request to Stripe' },
];

/** A claim of an attempt at Stripe outlasts a request of this length. */
export const STRIPE_TIMEOUT_MS_MAX = 20_000;

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

export function readStripeSettings(readText: ReadText, readWhole: ReadWhole): StripeKeys | null {
  const secretKey = readText('STRIPE_SECRET_KEY');
  const webhookSecret = readText('STRIPE_WEBHOOK_SECRET');
  const networkId = readText('STRIPE_NETWORK_ID');
  const timeoutMs = readWhole('STRIPE_TIMEOUT_MS', 100, STRIPE_TIMEOUT_MS_MAX);
  const apiBase = parseApiBase(readText('STRIPE_API_BASE'));
  if (secretKey === '' && webhookSecret === '' && networkId === '') return null;
  // Error messages do not repeat a key: it may be a real one in the wrong variable.
  if (!/^[sr]k_\w{8,250}$/.test(secretKey))
    throw new SettingsError('STRIPE_SECRET_KEY must be a key of Stripe such as sk_live_….');
  if (!/^whsec_\S{8,250}$/.test(webhookSecret))
    throw new SettingsError(
      'STRIPE_WEBHOOK_SECRET must be the secret of the notifications, such as whsec_….',
    );
  if (networkId !== '' && !/^profile_\w{1,100}$/.test(networkId))
    throw new SettingsError(`STRIPE_NETWORK_ID must be a profile such as profile_…; it is "${networkId}".`);
  return { secretKey, webhookSecret, apiBase, timeoutMs, networkId: networkId === '' ? null : networkId };
}

/** The key is sent to this address, so it must be encrypted on the way. */
function parseApiBase(value: string): string | null {
  if (value === '') return null;
  const url = URL.canParse(value) ? new URL(value) : null;
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname));
  if (!isSafe)
    throw new SettingsError(`STRIPE_API_BASE must be https, or http on this machine; it is "${value}".`);
  return value;
}
