import sql, { type Sql } from 'sql-template-tag'

export const namespaceColumns: Sql = sql`namespaces.id, namespaces.organization_id, namespaces.kind, namespaces.name,
  namespaces.path, namespaces.full_path, namespaces.full_name, namespaces.description, namespaces.visibility,
  namespaces.promote_on_ingestion, namespaces.avatar_filename, namespaces.parent_id, namespaces.owner_id, namespaces.lineage, namespaces.created_at, namespaces.updated_at`
