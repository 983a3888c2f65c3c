import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Links that are sent by e-mail, and messages about sign-ins from new browsers. */
export const accountMail: Migration = {
  name: '0069_account_mail',
  up(engine) {
    const { boolean } = columnTypes(engine)
    return `
-- A link has two secrets: the one that was returned to an inviter or administrator, and the one in the message.
alter table password_links add column mail_digest text;
create unique index password_links_mail on password_links (mail_digest) where mail_digest is not null;
alter table invitations add column mail_digest text;
create unique index invitations_mail on invitations (mail_digest) where mail_digest is not null;

alter table notification_settings add column new_sign_ins ${boolean} not null default true;
`
  },
}
