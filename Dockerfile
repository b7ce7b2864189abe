# syntax=docker/dockerfile:1
# Two images of deltaadm; build from the root of a checkout:
#
#   docker build --target slim  --tag deltaadm .
#   docker build --target spark --tag deltaadm:spark .
#
# `slim` does everything but committing through Spark; `spark` has Java, PySpark and Delta's jars.

FROM python:3.13.14-slim-bookworm@sha256:67a1e1f215ccda113cfc024e8639049257e88f273898f595b61476d128d387e8 AS build
WORKDIR /source
COPY requirements.lock requirements-build.lock requirements-spark.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock -r requirements-build.lock \
    && python -m venv /opt/deltaadm \
    && /opt/deltaadm/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY completions completions
COPY deltaadm deltaadm
RUN python -m hatchling build --target wheel --directory dist \
    && /opt/deltaadm/bin/pip install --no-cache-dir --no-deps dist/*.whl

FROM build AS build-spark
RUN /opt/deltaadm/bin/pip install --no-cache-dir --require-hashes -r requirements-spark.lock

FROM python:3.13.14-slim-bookworm@sha256:67a1e1f215ccda113cfc024e8639049257e88f273898f595b61476d128d387e8 AS spark
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends openjdk-17-jre-headless procps \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 deltaadm
COPY --from=build-spark /opt/deltaadm /opt/deltaadm
ENV PATH=/opt/deltaadm/bin:$PATH
USER 10001
WORKDIR /data
# Starting Spark once fetches Delta's jars, so that the image needs no network for them later.
RUN deltaadm create /tmp/once --schema 'id BIGINT' --apply --yes --commit-engine spark \
    && rm -r /tmp/once
ENTRYPOINT ["deltaadm"]
CMD ["--help"]

FROM python:3.13.14-slim-bookworm@sha256:67a1e1f215ccda113cfc024e8639049257e88f273898f595b61476d128d387e8 AS slim
RUN useradd --create-home --uid 10001 deltaadm
COPY --from=build /opt/deltaadm /opt/deltaadm
ENV PATH=/opt/deltaadm/bin:$PATH
USER 10001
WORKDIR /data
ENTRYPOINT ["deltaadm"]
CMD ["--help"]
