import os

import psycopg2


class Settings:
    # ruleid: python-hardcoded-password
    password = "hunter2hunter2"
    # ok: python-hardcoded-password
    username = "hunter2hunter2"
    # ok: python-hardcoded-password
    api_key = os.environ["API_KEY"]
    # ok: python-hardcoded-password
    secret_key = "your-secret-key"


def connect(settings):
    # ruleid: python-hardcoded-password
    db = psycopg2.connect(host="db", password="s3cr3t!pass")
    # ok: python-hardcoded-password
    db = psycopg2.connect(host="db", password=settings.password)
    # ruleid: python-hardcoded-password
    settings["db_password"] = "correcthorse"
    # ruleid: python-hardcoded-password
    headers = {"Accept": "*/*", "api_key": "9f8e7d6c5b4a"}
    # ok: python-hardcoded-password
    form = {"password": "password", "field": "password_field"}
    # ruleid: python-hardcoded-password
    token = os.getenv("AUTH_TOKEN", "abcdef012345")
    # ok: python-hardcoded-password
    password = input("password: ")
    return db, headers, form, token, password


def known():
    # ruleid: python-known-credential
    key = "AKIA" + "IOSFODNN7ABCDEFG"
    # ok: python-known-credential
    other = "AKIATOOSHORT"
    # ruleid: python-known-credential
    pem = """-----BEGIN RSA PRIVATE KEY-----
MIIE
-----END RSA PRIVATE KEY-----"""
    return key, other, pem


# ruleid: python-url-with-password
DATABASE = "postgresql://app:pa55word@db.internal/app"
# ok: python-url-with-password
TEMPLATE = "postgresql://{user}:{password}@db.internal/app"
# ok: python-url-with-password
PLAIN = "https://example.com:8443/a@b"


def sign(claims, key):
    import hmac

    import jwt

    # ruleid: python-hardcoded-signing-key
    a = jwt.encode(claims, "a-key-of-ours", algorithm="HS256")
    # ok: python-hardcoded-signing-key
    b = jwt.encode(claims, key, algorithm="HS256")
    # ruleid: python-hardcoded-signing-key
    c = hmac.new(b"a-key-of-ours", a, "sha256")
    # ok: python-hardcoded-signing-key
    d = hmac.new(key, a, "sha256")
    return a, b, c, d
