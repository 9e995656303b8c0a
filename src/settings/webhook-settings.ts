/** How events are delivered to the addresses of webhooks. */
import type { Environment } from '#core/context.ts';
import { isLocalhost, isLoopbackAddress, type ReceiverPolicy } from '#adapters/http-out/receiver.ts';
import {
  SECRET_LENGTH_MIN,
  signatureFormats,
  type DeliveryWords,
  type SignatureFormat,
} from '#core/outgoing.ts';
import { parseChoice, parseList, type ReadText, SettingsError, type Setting } from './setting.ts';

export interface WebhookSettings {
  readonly isOn: boolean;
  readonly policy: ReceiverPolicy;
  /** Signs where neither the experiment nor the organization has a secret; null: these deliveries are not signed. */
  readonly secret: string | null;
  readonly format: SignatureFormat;
  readonly words: DeliveryWords;
}

export const webhookSettingList: readonly Setting[] = [
  { name: 'WEBHOOKS', fallback: 'on', meaning: 'on: events are delivered to webhooks; off: they are not' },
  {
    name: 'WEBHOOK_SECRET',
    isSecret: true,
    fallback: '',
    meaning: 'signs deliveries where neither the experiment nor the organization has a secret',
  },
  {
    name: 'SIGNATURE_FORMAT',
    fallback: 'hex',
    meaning: 'signature of a delivery: hex, or prefixed for sha256=…',
  },
  { name: 'WEBHOOK_PORTS', fallback: '443', meaning: 'ports that receivers may use, separated by commas' },
  {
    name: 'WEBHOOK_LOOPBACK',
    fallback: '',
    meaning:
      'yes: also http and addresses of this machine, only in a sandbox; empty: yes in a sandbox that listens on loopback and has neither BASE_URL nor TRUSTED_PROXIES',
  },
];

interface SiteAddress {
  /** Whether provider fields have the lab's own name. */
  readonly hasAlias: boolean;
  readonly environment: Environment;
  readonly host: string;
  /** Whether clients reach the service through something else, such as a reverse proxy. */
  readonly isBehindProxy: boolean;
}

export function readWebhookSettings(readText: ReadText, site: SiteAddress): WebhookSettings {
  const secret = readText('WEBHOOK_SECRET');
  if (secret !== '' && secret.length < SECRET_LENGTH_MIN)
    throw new SettingsError(`WEBHOOK_SECRET must have at least ${SECRET_LENGTH_MIN} characters.`);
  const format = parseChoice('SIGNATURE_FORMAT', readText('SIGNATURE_FORMAT'), signatureFormats);
  return {
    isOn: parseChoice('WEBHOOKS', readText('WEBHOOKS'), ['on', 'off']) === 'on',
    policy: {
      allowsLoopback: readLoopback(readText('WEBHOOK_LOOPBACK'), site),
      ports: readPorts(readText('WEBHOOK_PORTS')),
    },
    secret: secret === '' ? null : secret,
    format,
    words: site.hasAlias || format === 'prefixed' ? 'published' : 'own',
  };
}

function readLoopback(value: string, { environment, host, isBehindProxy }: SiteAddress): boolean {
  // Behind a proxy everybody is a client of this machine, though the service itself listens on loopback alone.
  if (value === '')
    return environment === 'sandbox' && !isBehindProxy && (isLocalhost(host) || isLoopbackAddress(host));
  const isAllowed = parseChoice('WEBHOOK_LOOPBACK', value, ['yes', 'no']) === 'yes';
  if (isAllowed && environment === 'live')
    throw new SettingsError(
      'WEBHOOK_LOOPBACK must not be yes in a live environment: clients could reach this machine.',
    );
  return isAllowed;
}

function readPorts(value: string): readonly number[] {
  const ports = parseList(value);
  const wrong = ports.find((port) => !/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535);
  if (wrong !== undefined)
    throw new SettingsError(`WEBHOOK_PORTS must list ports such as 443,8443; it has "${wrong}".`);
  return ports.map(Number);
}
