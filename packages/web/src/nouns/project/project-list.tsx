import { Star } from 'lucide-react'
import { Link } from 'wouter'
import { Avatar } from '../../components/avatar.tsx'
import { Badge } from '../../components/badge.tsx'
import { formatCount } from '../../components/format.ts'
import { Time } from '../../components/time.tsx'
import { VisibilityMark } from '../../components/visibility.tsx'
import styles from '../place-list.module.css'
import { TopicLinks } from '../topic/topic-links.tsx'
import type { Project } from './project.ts'
import { texts } from './texts.ts'

export function ProjectList({ projects }: { projects: readonly Project[] }) {
  return (
    <ul className={styles.list} aria-label={texts.projects}>
      {projects.map((project) => (
        <li key={project.id} className={styles.item}>
          <Avatar name={project.name} url={project.avatar_url} />
          <div className="stack-tight">
            <div className="row-wrap">
              <Link to={`/${project.path_with_namespace}`} className={styles.name}>
                <span className="muted">{project.namespace.full_path} / </span>
                {project.name}
              </Link>
              <VisibilityMark visibility={project.visibility} />
              {project.archived && <Badge>{texts.archived}</Badge>}
            </div>
            {project.description && <p className={`muted ${styles.description}`}>{project.description}</p>}
            <TopicLinks topics={project.topics} />
          </div>
          <div className={styles.facts}>
            <span className="row">
              <Star size={14} aria-hidden="true" />
              <span className="visually-hidden">{texts.stars} </span>
              {formatCount(project.star_count)}
            </span>
            <Time of={project.last_activity_at} />
          </div>
        </li>
      ))}
    </ul>
  )
}
