import Type, { type Static } from 'typebox'
import { avatarUrl } from '../../../domain/files/avatar-url.ts'
import type { Namespace } from '../../../domain/namespaces/namespace.ts'
import { nullableInteger, nullableString } from '../views.ts'

/** A namespace as part of a project and in the list of namespaces. */
export const namespaceView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    path: Type.String(),
    kind: Type.String(),
    full_path: Type.String(),
    parent_id: nullableInteger,
    avatar_url: nullableString,
    web_url: Type.String(),
  },
  { title: 'Namespace' },
)

export function viewNamespace(namespace: Namespace, origin: string): Static<typeof namespaceView> {
  return {
    id: namespace.id,
    name: namespace.name,
    path: namespace.path,
    kind: namespace.kind,
    full_path: namespace.fullPath,
    parent_id: namespace.parentId,
    avatar_url: avatarUrl('group', namespace, origin),
    web_url: webUrl(namespace, origin),
  }
}

export function webUrl(namespace: Namespace, origin: string): string {
  return namespace.kind === 'group' ? `${origin}/groups/${namespace.fullPath}` : `${origin}/${namespace.fullPath}`
}
