/** Words and times as several commands write them. */
import { basename, extname } from 'node:path';
import { experimentStatuses } from '#core/lifecycle.ts';
import { toPlainText, getTerminal } from './terminal.ts';

/** Formats the default name of an experiment: file and target. */
export function formatFileTitle(
  file: string,
  type: string,
  target: { readonly name: string } | null | undefined,
): string {
  const stem = file === '-' ? 'designs' : basename(file, extname(file));
  return target === null || target === undefined ? `${stem}, ${type}` : `${stem} against ${target.name}`;
}

/** Turns `in_production` into `in production`. */
export function formatStatus(status: string): string {
  const known = experimentStatuses.some((each) => each === status);
  return known ? status.replaceAll('_', ' ') : toPlainText(status);
}

/** A value of an answer as text; JSON where it is none. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Times for people: in their own zone, which is named. A file or a pipe gets the times of the API, in UTC. */

const MINUTE_LENGTH = 'YYYY-MM-DD hh:mm'.length;

/** Such as `2026-03-02 14:30 +05:30` on a terminal and `2026-03-02T09:00:00.000Z` elsewhere. */
export function formatTime(timestamp: string): string {
  const { stdout } = getTerminal();
  return stdout.isTTY === true ? formatLocalTime(timestamp) : timestamp;
}

/** The day in the zone of the reader, such as `2026-03-02`. */
export function formatDay(timestamp: string): string {
  return formatTime(timestamp).slice(0, 10);
}

/** Such as `2026-03-02 14:30:05 +05:30` in the zone of `TZ`, else in that of the machine. */
export function formatLocalTime(timestamp: string, { withSeconds = false } = {}): string {
  const time = new Date(timestamp);
  if (Number.isNaN(time.getTime())) return timestamp;
  const parts = new Map(
    getFormat()
      .formatToParts(time)
      .map(({ type, value }) => [type, value]),
  );
  const get = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
  const day = `${get('year').padStart(4, '0')}-${get('month')}-${get('day')}`;
  const clock = `${day} ${get('hour')}:${get('minute')}:${get('second')}`;
  // Intl writes `GMT` where the offset is zero.
  const offset = get('timeZoneName').replace('GMT', '');
  return `${withSeconds ? clock : clock.slice(0, MINUTE_LENGTH)} ${offset === '' ? '+00:00' : offset}`;
}

const formats = new Map<string | undefined, Intl.DateTimeFormat>();

function getFormat(): Intl.DateTimeFormat {
  const zone = getTerminal().environment['TZ'];
  const known = formats.get(zone) ?? createFormat(zone === '' ? undefined : zone);
  formats.set(zone, known);
  return known;
}

function createFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  const number = '2-digit';
  const fields = { day: number, month: number, hour: number, minute: number, second: number } as const;
  const shared = { ...fields, year: 'numeric', hourCycle: 'h23', timeZoneName: 'longOffset' } as const;
  try {
    return new Intl.DateTimeFormat('en-GB', { ...shared, timeZone });
  } catch {
    // POSIX forms such as `IST-5:30` are no names of the zone database; the machine's own zone is used.
    return new Intl.DateTimeFormat('en-GB', shared);
  }
}
