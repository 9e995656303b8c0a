/** Differences between two JSON values, leaf by leaf. */

export interface Difference {
  /** Such as `quantities.kd.value` or `summary.0.replicates.1.tm`. */
  readonly path: string;
  /** Undefined where one side lacks the member. */
  readonly before: unknown;
  readonly after: unknown;
}

/** In the order of the members of `after`; members that only `before` has come at the end of their object. */
export function findDifferences(before: unknown, after: unknown, path = ''): Difference[] {
  if (isMembers(before) && isMembers(after)) {
    const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
    return names.flatMap((name) =>
      findDifferences(
        getMember(before, name),
        getMember(after, name),
        path === '' ? name : `${path}.${name}`,
      ),
    );
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}

/** True for objects and lists; lists are compared index by index. */
function isMembers(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function getMember(value: object, name: string): unknown {
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
