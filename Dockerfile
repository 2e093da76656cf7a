# xoff in a container: docker build --tag xoff .
# docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/work" xoff run scenarios/web_search.toml

FROM rust:1-slim-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends python3-venv \
    && rm -rf /var/lib/apt/lists/* \
    && python3 -m venv /venv \
    && /venv/bin/pip install --no-cache-dir 'maturin>=1.8,<2'
WORKDIR /xoff
COPY . .
RUN /venv/bin/maturin build --release --locked --out /dist

FROM python:3.13-slim-bookworm
RUN --mount=type=bind,from=build,source=/dist,target=/dist pip install --no-cache-dir /dist/*.whl
# Any user may run it, also one without a home.
ENV MPLCONFIGDIR=/tmp/matplotlib
WORKDIR /work
ENTRYPOINT ["xoff"]
CMD ["--help"]
