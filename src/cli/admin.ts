/** `assayer admin make-staff | make-partner | sign-in-link EMAIL`: actions that only the operator may take. */
import { staffRoles, type StaffRole } from '#core/permissions.ts';
import {
  appointPartner,
  appointStaffByOperator,
  type Appointment,
  createRecoveryLink,
} from '#features/people/by-operator.ts';
import { CommandError } from './command-error.ts';
import { createOperator, withDatabase } from './open-database.ts';
import { readSettingsWith } from './data-directory.ts';
import { DATA_DIR, type Parsed, createUsageError } from './options.ts';
import { print } from './terminal.ts';

export const guide = {
  name: 'admin',
  usage: [
    'make-staff EMAIL [--roles LIST] [--data-dir DIR]',
    'make-partner EMAIL [--organization SLUG] [--data-dir DIR]',
    'sign-in-link EMAIL [--data-dir DIR]',
  ],
  about: `make-staff     gives the person's admin tokens the rights of the lab's staff; --roles names roles, such as
               operator,finance (operator, manager, finance; all of them by default)
make-partner   lets the person's admin tokens of one organization create organizations and users of clients;
               --organization names it when the person belongs to several
sign-in-link   prints a link that signs the person in once, within an hour: for whoever can neither sign in nor
               get mail. BASE_URL says where it leads

Works on the database that the settings name; the service may go on running.
It takes effect with the next request of such a token.`,
  options: { 'organization SLUG': '', 'roles LIST': '', ...DATA_DIR },
};

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const [verb = '', email = ''] = positionals;
  const { organization, roles, 'data-dir': dataDir } = values;
  if (roles !== undefined && verb !== 'make-staff') throw createUsageError(guide, `${verb} takes no --roles`);
  if (verb === 'make-staff') {
    if (organization !== undefined) throw createUsageError(guide, 'make-staff takes no --organization');
    const appointed = parseRoles(roles);
    reportAppointment(
      email,
      'of the staff',
      await withDatabase(dataDir, (database) =>
        appointStaffByOperator(database, createOperator(), email, appointed),
      ),
    );
  } else if (verb === 'make-partner') {
    const appointment = await withDatabase(dataDir, (database) =>
      appointPartner(database, createOperator(), email, organization),
    );
    reportAppointment(email, 'a partner', appointment);
  } else {
    if (organization !== undefined) throw createUsageError(guide, 'sign-in-link takes no --organization');
    const { baseUrl } = readSettingsWith({ DATA_DIR: dataDir });
    const link = await withDatabase(dataDir, (database) =>
      createRecoveryLink(database, createOperator(), email),
    );
    if (link === undefined) throw new CommandError(`There is no user ${email}.`);
    print(baseUrl === null ? link : `${baseUrl}${link}`);
  }
}

function parseRoles(text: string | undefined): readonly StaffRole[] {
  if (text === undefined) return staffRoles;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !staffRoles.some((role) => role === name));
  if (unknown !== undefined)
    throw createUsageError(guide, `--roles has "${unknown}"; the roles are ${staffRoles.join(', ')}`);
  return staffRoles.filter((role) => names.includes(role));
}

function reportAppointment(email: string, what: string, appointment: Appointment): void {
  switch (appointment.kind) {
    case 'unknown_user':
      throw new CommandError(`There is no user ${email}.`);
    case 'which_organization':
      throw new CommandError(
        appointment.slugs.length === 0
          ? `${email} belongs to no organization.`
          : `Name one organization of ${email} with --organization: ${appointment.slugs.join(', ')}.`,
      );
    default: {
      const where =
        appointment.organizationName === undefined ? '' : ` within ${appointment.organizationName}`;
      const when = appointment.kind === 'already' ? 'is already' : 'is now';
      print(`${email} ${when} ${what}${where}.`);
    }
  }
}
