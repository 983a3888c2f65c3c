/** Parts of GitLab's API that do not exist here, by the end of their paths, and what to use instead. */
const absentFeatures: readonly (readonly [RegExp, string])[] = [
  [
    /^\/api\/v4\/projects\/[^/]+\/(releases|packages)(\/|$)/,
    'Alcove has no releases and packages. Attach files with POST /projects/:id/uploads.',
  ],
  [
    /^\/api\/v4\/(bulk_imports|import|group_entities)(\/|$)/,
    'Alcove imports from GitLab with the command alcove import gitlab.',
  ],
  [
    /^\/api\/v4\/(projects|groups)\/(import|remote-import|remote-import-s3|import-relation)(\/|$)/,
    'Alcove imports no archives of GitLab. Use the command alcove import gitlab.',
  ],
  [
    /^\/api\/v4\/(projects|groups)\/[^/]+\/(export|export_relations|import)(\/|$)/,
    'Alcove exports no archives for GitLab. Read the lists of the API, or use the exports of vulnerabilities.',
  ],
  [
    // Linear time: the id ends at the next slash, and no alternative begins with another.
    /^\/api\/v4\/projects\/[^/]+\/(repository|merge_requests|issues|pipelines|jobs|push_rule|protected_branches)(\/|$)/,
    'Alcove has no repositories, issues, merge requests and pipelines.',
  ],
]

/** Returns why GitLab's route with this path does not exist here, if that is known. */
export function explainAbsence(path: string): string | undefined {
  return absentFeatures.find(([pattern]) => pattern.test(path))?.[1]
}
