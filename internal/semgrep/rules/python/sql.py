import sqlite3

import pandas as pd

TABLE = "users"


def find(db, name, rows):
    cursor = db.cursor()
    # ruleid: python-sql-from-parts
    cursor.execute("SELECT * FROM users WHERE name = '" + name + "'")
    # ruleid: python-sql-from-parts
    cursor.execute("SELECT * FROM users WHERE name = '%s'" % name)
    # ruleid: python-sql-from-parts
    cursor.execute(f"DELETE FROM users WHERE name = '{name}'")
    # ruleid: python-sql-from-parts
    cursor.execute("UPDATE users SET seen = 1 WHERE name = {}".format(name))
    # ok: python-sql-from-parts
    cursor.execute("SELECT * FROM users WHERE name = ?", (name,))
    # ok: python-sql-from-parts
    cursor.executemany("INSERT INTO users VALUES (?)", rows)
    # ok: python-sql-from-parts
    cursor.execute("SELECT * FROM " + TABLE)
    # ok: python-sql-from-parts
    cursor.execute("SELECT * " "FROM users " + "WHERE id = 1")


def kept(name):
    db = sqlite3.connect("x.db")
    # ruleid: python-sql-from-parts
    query = "INSERT INTO users VALUES ('" + name + "')"
    print(query)
    db.execute(query)
    # ruleid: python-sql-from-parts
    return pd.read_sql(f"select * from {name}", db)


def other(pool, name):
    # ok: python-sql-from-parts
    pool.execute("job-" + name)


async def fetch(connection, name):
    # ruleid: python-sql-from-parts
    await connection.fetch(f"SELECT * FROM users WHERE name = '{name}'")
    # ok: python-sql-from-parts
    await connection.fetch("SELECT * FROM users WHERE name = $1", name)


def raw(User, name):
    # ruleid: python-sql-from-parts
    return User.objects.raw("SELECT * FROM users WHERE name = '%s'" % name)
