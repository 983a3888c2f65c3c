export interface ProjectOrder {
  by: 'id' | 'name' | 'path' | 'updated_at' | 'last_activity_at' | 'star_count' | 'similarity'
  direction: 'asc' | 'desc'
}
