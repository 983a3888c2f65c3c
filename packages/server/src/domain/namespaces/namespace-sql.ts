import sql, { type Sql } from 'sql-template-tag'
import type { Namespace } from './namespace.ts'

export interface NamespaceRow {
  id: number
  organization_id: number
  kind: Namespace['kind']
  name: string
  path: string
  full_path: string
  full_name: string
  description: string
  visibility: Namespace['visibility']
  parent_id: number | null
  owner_id: number | null
  lineage: string
  created_at: string
  updated_at: string
}

export const namespaceColumns: Sql = sql`namespaces.id, namespaces.organization_id, namespaces.kind, namespaces.name,
  namespaces.path, namespaces.full_path, namespaces.full_name, namespaces.description, namespaces.visibility,
  namespaces.parent_id, namespaces.owner_id, namespaces.lineage, namespaces.created_at, namespaces.updated_at`

export function namespaceFrom(row: NamespaceRow): Namespace {
  return {
    id: row.id,
    organizationId: row.organization_id,
    kind: row.kind,
    name: row.name,
    path: row.path,
    fullPath: row.full_path,
    fullName: row.full_name,
    description: row.description,
    visibility: row.visibility,
    parentId: row.parent_id,
    ownerId: row.owner_id,
    lineage: row.lineage,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
