"""The server and its page: parsers over HTTP, and parsing to be seen.

`dynarc.web.service` knows what is asked and what is answered, `dynarc.web.app` how that goes over HTTP, and
`dynarc.web.page` makes a file of the page that needs no server. Starlette and uvicorn are needed by `app` only.
"""
