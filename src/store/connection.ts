// The driver's connection, as all of this room names it.
import type Database from 'better-sqlite3'

export type Connection = Database.Database
