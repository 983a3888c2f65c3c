import { useMemo } from 'react'
import { useProject } from '../../nouns/project/project.ts'
import type { UploadOwner } from './owner.ts'
import { MarkdownPad } from './pad/pad.tsx'
import { Uploads } from './uploads.tsx'

export function ProjectUploads() {
  return <Uploads owner={useOwner()} level={useProject().level} />
}

export function ProjectPad() {
  return <MarkdownPad owner={useOwner()} />
}

function useOwner(): UploadOwner {
  const { id, path_with_namespace: path } = useProject().project
  return useMemo(() => ({ kind: 'project', id, path }), [id, path])
}
