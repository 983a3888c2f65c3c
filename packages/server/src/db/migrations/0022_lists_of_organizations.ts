import type { Migration } from '../migrate.ts'

/** Indexes that cover counting an organization's projects and namespaces by visibility. */
export const listsOfOrganizations: Migration = {
  name: '0022_lists_of_organizations',
  up: () => `
create index projects_organization on projects (organization_id, visibility, id);
create index namespaces_organization on namespaces (organization_id, kind, visibility, id);
`,
}
