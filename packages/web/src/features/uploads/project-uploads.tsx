import { useMemo } from 'react'
import { NotFound } from '../../components/page/not-found.tsx'
import { useProject } from '../../nouns/project/project.ts'
import type { UploadOwner } from './owner.ts'
import { MarkdownPad } from './pad/pad.tsx'
import { Uploads } from './uploads.tsx'

/** Uploads of a project. `part` is the path segment after `uploads/`. */
export function ProjectUploads({ part }: { part: string | undefined }) {
  const { project, level } = useProject()
  const { id, path_with_namespace: path } = project
  const owner = useMemo((): UploadOwner => ({ kind: 'project', id, path }), [id, path])
  if (part === 'pad') return <MarkdownPad owner={owner} />
  if (part) return <NotFound />
  return <Uploads owner={owner} level={level} />
}
