import { Link } from 'wouter'
import { texts } from './texts.ts'
import styles from './topic-links.module.css'

/** Returns the address of a topic's page. */
export function topicAddress(name: string): string {
  return `/explore/topics/${encodeURIComponent(name)}`
}

export function TopicLinks({ topics, label = texts.topics }: { topics: readonly string[]; label?: string }) {
  if (topics.length === 0) return null
  return (
    <ul className={styles.topics} aria-label={label}>
      {topics.map((name) => (
        <li key={name}>
          <Link to={topicAddress(name)} className={styles.topic}>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  )
}
