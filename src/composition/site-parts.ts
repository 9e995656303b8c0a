/** The site of this installation and its first person, from the settings. */
import { type Site, getLabName } from '#core/context.ts';
import type { MachineRail } from '#features/payments/machine-rail.ts';
import { BUILTIN, STRIPE } from '#features/payments/rules.ts';
import { parseReceiver } from '#adapters/http-out/receiver.ts';
import type { Settings } from '#settings/settings.ts';
import { findSettingsProblem } from '#assays/engines.ts';
import { FormatError } from '#analysis/failures/errors.ts';
import { readWorkbook } from '#analysis/formats/reading/xlsx.ts';

/** Facts about the site that are known only after the service is put together. */
export interface LateFacts {
  readonly baseUrl: string;
  readonly rails: readonly MachineRail[];
}

export function createSite(settings: Settings, late: LateFacts): Site {
  return {
    environment: settings.environment,
    get baseUrl() {
      return late.baseUrl;
    },
    limits: settings.limits,
    mail: settings.smtp === null ? (settings.environment === 'sandbox' ? 'mailbox' : 'none') : 'smtp',
    signUp: settings.signUp,
    sandboxSpeed: settings.sandboxSpeed,
    needsSecondPerson: settings.needsSecondPerson,
    get machineMethods() {
      return late.rails.map(({ method }) => method);
    },
    processor: settings.stripe === null ? BUILTIN : STRIPE,
    mirrorsQuotes: settings.stripe !== null,
    letterhead: settings.letterhead,
    hasOwnDatabase: settings.databaseUrl === null,
    resultSummary: settings.resultSummary,
    makesPackagesAtRelease: settings.makesPackagesAtRelease,
    deliversWebhooks: settings.webhooks.isOn,
    deliveryWords: settings.webhooks.words,
    findReceiverProblem: (url) => {
      const receiver = parseReceiver(url, settings.webhooks.policy);
      return 'problem' in receiver ? receiver.problem : null;
    },
    readWorkbook: readSheets,
    findSettingsProblem,
  };
}

/** Of a workbook of designs: small beside those of measurements, because it is read between other requests. */
const WORKBOOK_BYTES_MAX = 16 * 1024 * 1024;

function readSheets(file: Parameters<Site['readWorkbook']>[0]): ReturnType<Site['readWorkbook']> {
  try {
    return readWorkbook(file, WORKBOOK_BYTES_MAX).map(({ sheet, rows }) => ({
      sheet,
      rows: rows.map(({ number, cells }) => ({ line: number, cells: cells.map(({ text }) => text) })),
    }));
  } catch (error) {
    if (error instanceof FormatError) return error.message;
    throw error;
  }
}

export function getFounder(settings: Settings) {
  return settings.environment === 'sandbox'
    ? {
        organizationName: 'Demo organization',
        slug: 'DEMO',
        email: 'demo@example.org',
        name: 'Demo',
        isStaff: true,
      }
    : {
        organizationName: getLabName(settings.letterhead.seller),
        slug: 'LAB',
        email: 'operator@example.org',
        name: 'Operator',
        isStaff: true,
      };
}
