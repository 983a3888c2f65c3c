import type { Migration } from '../migrate.ts'

/** Counting what an organization has of one visibility takes an index alone. */
export const listsOfOrganizations: Migration = {
  name: '0022_lists_of_organizations',
  up: () => `
create index projects_organization on projects (organization_id, visibility, id);
create index namespaces_organization on namespaces (organization_id, kind, visibility, id);
`,
}
