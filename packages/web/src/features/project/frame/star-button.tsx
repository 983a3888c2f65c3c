import { Star } from 'lucide-react'
import { Button } from '../../../components/button.tsx'
import { formatCount } from '../../../components/format.ts'
import { useAction, useApiQuery } from '../../../data/api.ts'
import { mayWrite, useSession } from '../../../data/session.ts'
import type { Project } from '../../../nouns/project/project.ts'
import { texts } from './texts.ts'

/** Star count of a project, with a button to star or unstar it for signed-in users. */
export function StarButton({ project: { id, star_count: stars } }: { project: Project }) {
  const isWriter = mayWrite(useSession())
  // The project does not contain this, so the list of starred projects is searched for it.
  const starred = useApiQuery(
    'GET /projects',
    { query: { starred: true, id_after: id - 1, id_before: id + 1, simple: true } },
    { isEnabled: isWriter },
  )
  const star = useAction('POST /projects/{id}/star')
  const unstar = useAction('POST /projects/{id}/unstar')
  const count = <span className="numbers">{formatCount(stars)}</span>
  if (!isWriter) {
    return (
      <span className="row muted small">
        <Star size={15} aria-hidden="true" />
        <span className="visually-hidden">{texts.stars}</span> {count}
      </span>
    )
  }
  const isStarred = (starred.data?.length ?? 0) > 0
  return (
    <Button
      size="small"
      icon={Star}
      aria-pressed={isStarred}
      disabled={!starred.data}
      isBusy={star.isPending || unstar.isPending}
      onClick={() => (isStarred ? unstar : star).mutate({ path: { id } })}
    >
      {isStarred ? texts.starred : texts.star} {count}
    </Button>
  )
}
