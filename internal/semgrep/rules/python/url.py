import requests

# ruleid: python-url-raw-address
requests.get("http://45.77.12.9:8000/payload.bin")
# ruleid: python-url-raw-address
requests.get("http://0x2d4d0c09/x")
# ok: python-url-raw-address
requests.get("http://127.0.0.1:8000/health")
# ok: python-url-raw-address
requests.get("http://example.com/1.2.3.4")

# ruleid: python-url-throwaway-host
requests.get("https://pastebin.com/raw/abcdef")
# ruleid: python-url-throwaway-host
requests.post("https://" + "abc123.ngrok" + ".io/in", data=b"x")
# ok: python-url-throwaway-host
requests.get("https://notpastebin.com.example.org/raw")
# ok: python-url-throwaway-host
print("see pastebin.com")

# ruleid: python-url-webhook-of-chat
requests.post("https://discord.com/api/webhooks/1/abc", json={})
# ok: python-url-webhook-of-chat
requests.get("https://discord.com/developers")

# ruleid: python-url-shortened
requests.get("https://bit.ly/3abcdef")
# ok: python-url-shortened
requests.get("https://t.com/a")

# ruleid: python-url-onion
HIDDEN = "http://expyuzz4wqqyqhjn.onion/x"
# ok: python-url-onion
VEGETABLE = "an.onion"
