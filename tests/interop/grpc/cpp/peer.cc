// The file transfers of proto/millrace/v1/file_transfer.proto with the C++ core of gRPC, as an application would write them
// with the generated synchronous API: a peer for Millrace's own server and client, in their tests.
//
// To compile it (Debian: g++ libgrpc++-dev libprotobuf-dev libssl-dev protobuf-compiler protobuf-compiler-grpc pkg-config):
//
//   eng/grpc.sh     into artifacts/grpc/millrace_grpc_core, only when something changed
//
// or by hand, from the repository's root:
//
//   protoc -I proto --cpp_out=OUT --grpc_out=OUT --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" \
//     millrace/v1/file_transfer.proto grpc/health/v1/health.proto
//   g++ -std=c++17 -O2 -I OUT tests/interop/grpc/cpp/peer.cc OUT/millrace/v1/*.cc OUT/grpc/health/v1/*.cc \
//     $(pkg-config --cflags --libs grpc++ protobuf libcrypto) -o millrace_grpc_core
//
// Commands; every one prints lines of JSON:
//
//   serve --folder F [--port 0] [--chunk N] [--token T]      first {"port":N}; until standard input ends
//   health | stat | list | delete | download | upload | session | parts, with
//     --server HOST:PORT --name N [--file F] [--chunk N] [--offset N] [--count N] [--recursive] [--gzip] [--token T]
//     [--deadline MILLISECONDS] [--cancel-after BYTES] [--break cancel|end] [--stall]
#include <fcntl.h>
#include <grpc/compression.h>
#include <grpcpp/grpcpp.h>
#include <openssl/evp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "grpc/health/v1/health.grpc.pb.h"
#include "millrace/v1/file_transfer.grpc.pb.h"

// Not in the headers that are installed, and the only way to learn how the other side compresses.
grpc_compression_algorithm grpc_call_test_only_get_compression_algorithm(grpc_call* call);

namespace {

namespace fs = std::filesystem;
namespace v1 = millrace::v1;
namespace health = grpc::health::v1;
using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

constexpr int kDefaultChunk = 64 * 1024;
constexpr int kMostChunk = 4 * 1024 * 1024 - 1024;

// What a status says on purpose: characters that trailers have to encode, the percent sign among them.
constexpr char kOddMessage[] = "Zugriff verweigert: 100 % Größe, 世界";

const char* const kStatusNames[] = {
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE",
    "DATA_LOSS", "UNAUTHENTICATED"};

// ---- Small things ------------------------------------------------------------------------------------------------------

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new()) { EVP_DigestInit_ex(context_, EVP_sha256(), nullptr); }
  Sha256(const Sha256&) = delete;
  ~Sha256() { EVP_MD_CTX_free(context_); }

  void Add(const std::string& bytes) { EVP_DigestUpdate(context_, bytes.data(), bytes.size()); }

  std::string Finish() {
    std::string digest(32, '\0');
    EVP_DigestFinal_ex(context_, reinterpret_cast<unsigned char*>(digest.data()), nullptr);
    return digest;
  }

 private:
  EVP_MD_CTX* context_;
};

class File {
 public:
  File(const std::string& path, int flags) : descriptor_(open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  File(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  bool IsOpen() const { return descriptor_ >= 0; }

  // Fills bytes as far as the file goes; it has less then.
  bool Read(int64_t offset, std::string* bytes) const {
    size_t filled = 0;
    while (filled < bytes->size()) {
      ssize_t count = pread(descriptor_, bytes->data() + filled, bytes->size() - filled, offset + filled);
      if (count < 0) return false;
      if (count == 0) break;
      filled += count;
    }
    bytes->resize(filled);
    return true;
  }

  bool Write(int64_t offset, const std::string& bytes) const {
    for (size_t written = 0; written < bytes.size();) {
      ssize_t count = pwrite(descriptor_, bytes.data() + written, bytes.size() - written, offset + written);
      if (count < 0) return false;
      written += count;
    }
    return true;
  }

  int64_t Length() const {
    struct stat found;
    return fstat(descriptor_, &found) == 0 ? found.st_size : -1;
  }

 private:
  int descriptor_;
};

std::string HashOf(const std::string& path) {
  File file(path, O_RDONLY);
  Sha256 hash;
  std::string block(1 << 20, '\0');
  for (int64_t offset = 0; file.IsOpen() && file.Read(offset, &block) && !block.empty(); offset += block.size()) hash.Add(block);
  return hash.Finish();
}

std::string Hex(const std::string& bytes) {
  std::string text;
  for (unsigned char value : bytes) {
    text += "0123456789abcdef"[value >> 4];
    text += "0123456789abcdef"[value & 15];
  }
  return text;
}

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c < ' ') {
      char code[8];
      snprintf(code, sizeof code, "\\u%04x", c);
      quoted += code;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

class Json {
 public:
  Json& Add(const std::string& name, const std::string& value) { return Raw(name, Quoted(value)); }
  Json& Add(const std::string& name, const char* value) { return Raw(name, Quoted(value)); }
  Json& Add(const std::string& name, int64_t value) { return Raw(name, std::to_string(value)); }
  Json& Add(const std::string& name, bool value) { return Raw(name, value ? "true" : "false"); }
  Json& Raw(const std::string& name, const std::string& json) {
    text_ += (text_.empty() ? "" : ",") + Quoted(name) + ":" + json;
    return *this;
  }
  std::string Text() const { return "{" + text_ + "}"; }

 private:
  std::string text_;
};

void Print(const Json& json) {
  static std::mutex one_at_a_time;
  std::lock_guard<std::mutex> lock(one_at_a_time);
  std::cout << json.Text() << std::endl;
}

class Options {
 public:
  Options(int count, char** values) {
    for (int i = 2; i < count; i++) {
      std::string name = values[i];
      if (name.rfind("--", 0) != 0) continue;
      bool has_value = i + 1 < count && std::string(values[i + 1]).rfind("--", 0) != 0;
      values_[name.substr(2)] = has_value ? values[++i] : "";
    }
  }

  bool Has(const std::string& name) const { return values_.count(name) > 0; }
  std::string Text(const std::string& name) const { return Has(name) ? values_.at(name) : ""; }
  int64_t Number(const std::string& name, int64_t otherwise) const {
    return Has(name) ? std::stoll(values_.at(name)) : otherwise;
  }

 private:
  std::map<std::string, std::string> values_;
};

int ChunkOf(int64_t wanted, int64_t otherwise) {
  return static_cast<int>(std::clamp<int64_t>(wanted > 0 ? wanted : otherwise, 1, kMostChunk));
}

bool Begins(const std::string& text, const std::string& beginning) { return text.rfind(beginning, 0) == 0; }

// ---- The server --------------------------------------------------------------------------------------------------------

struct Session {
  std::string name;
  std::string path;
  int64_t offset = 0;
  std::optional<int64_t> length;
  std::string sha256;
  bool broken_before = false;
  std::mutex appending;
};

class FileTransferService final : public v1::FileTransfer::Service {
 public:
  FileTransferService(fs::path folder, int chunk, std::string token)
      : folder_(std::move(folder)), chunk_(chunk), token_(std::move(token)) {}

  Status Stat(ServerContext* context, const v1::StatRequest* request, v1::FileVersion* answer) override {
    Status begun = Begin(context, "Stat", request->name());
    return begun.ok() ? Describe(request->name(), request->want_sha256(), answer) : begun;
  }

  Status List(ServerContext* context, const v1::ListRequest* request, grpc::ServerWriter<v1::ListEntry>* writer) override {
    Status begun = Begin(context, "List", request->folder());
    if (!begun.ok()) return begun;
    std::map<std::string, bool> found;
    std::error_code error;
    fs::path root = folder_ / request->folder();
    for (fs::recursive_directory_iterator i(root, error), end; !error && i != end; i.increment(error)) {
      std::string name = fs::relative(i->path(), folder_).generic_string();
      bool is_folder = i->is_directory();
      if (is_folder && (!request->recursive() || Begins(i->path().filename(), "."))) i.disable_recursion_pending();
      if (!Begins(i->path().filename(), ".") && !(is_folder && request->recursive())) found[name] = is_folder;
    }
    int count = 0;
    for (const auto& [name, is_folder] : found) {
      if (!request->after().empty() && name <= request->after()) continue;
      if (request->limit() > 0 && count++ == request->limit()) break;
      v1::ListEntry entry;
      entry.set_name(name);
      entry.set_is_folder(is_folder);
      if (!is_folder && !Describe(name, false, entry.mutable_file()).ok()) continue;
      if (!writer->Write(entry)) break;
    }
    return Status::OK;
  }

  Status Download(ServerContext* context, const v1::DownloadRequest* request, grpc::ServerWriter<v1::Chunk>* writer) override {
    Status begun = Begin(context, "Download", request->name());
    if (!begun.ok()) return begun;
    v1::Chunk chunk;
    v1::FileVersion* info = chunk.mutable_file();
    int64_t offset = request->offset();
    Status described = Describe(request->name(), request->want_sha256() && offset > 0, info);
    if (!described.ok()) return described;
    int64_t length = info->length();
    if (request->has_if_tag() && request->if_tag() != info->tag()) offset = 0;
    if (offset > length) return Status(StatusCode::OUT_OF_RANGE, "The file has " + std::to_string(length) + " bytes.");
    int64_t count = std::min(request->has_count() ? request->count() : length, length - offset);
    info->set_offset(offset);
    info->set_count(count);
    if (!writer->Write(chunk)) return Ended(context, "Download");

    std::string last = fs::path(request->name()).filename();
    if (Begins(last, "slow-")) return WaitForCancelling(context, "Download");
    bool is_flaky = Begins(last, "flaky-") && offset == 0;
    int64_t sent_at_most = is_flaky || Begins(last, "cut-") ? count / 2 : count;
    bool with_digest = request->want_sha256() && count == length;
    File file((folder_ / request->name()).string(), O_RDONLY);
    Sha256 hash;
    std::string* data = chunk.mutable_data();
    int size = ChunkOf(request->chunk_bytes(), chunk_);
    for (int64_t sent = 0; sent < sent_at_most; sent += data->size()) {
      data->resize(std::min<int64_t>(size, sent_at_most - sent));
      if (!file.Read(offset + sent, data) || data->empty()) return Status(StatusCode::ABORTED, "The file became shorter.");
      if (with_digest) hash.Add(*data);
      if (!writer->Write(chunk)) return Ended(context, "Download");
    }
    if (is_flaky) return Status(StatusCode::UNAVAILABLE, "It breaks here once.");
    if (Begins(last, "cut-")) return Status::OK;
    v1::Chunk end;
    end.mutable_end()->set_length(count);
    if (with_digest) end.mutable_end()->set_sha256(Begins(last, "wrong-") ? std::string(32, 'x') : hash.Finish());
    writer->WriteLast(end, grpc::WriteOptions());
    return Ended(context, "Download");
  }

  Status Upload(ServerContext* context, grpc::ServerReader<v1::Chunk>* reader, v1::UploadStatus* answer) override {
    v1::Chunk chunk;
    if (!reader->Read(&chunk) || !chunk.has_upload()) {
      return Status(StatusCode::INVALID_ARGUMENT, "The first message says what is uploaded.");
    }
    v1::UploadHead head = chunk.upload();
    std::shared_ptr<Session> session = head.upload().empty() ? NewSession(head.name()) : FindSession(head.upload());
    if (session == nullptr) return Status(StatusCode::NOT_FOUND, "There is no upload " + head.upload() + ".");
    Status begun = Begin(context, "Upload", session->name);
    if (!begun.ok()) return begun;
    Status met = Check(session->name, head.precondition());
    if (!met.ok()) return met;
    bool publishes = head.upload().empty() || head.commit();
    if (head.upload().empty() && !head.sha256().empty()) session->sha256 = head.sha256();
    if (Begins(fs::path(session->name).filename(), "slow-")) return WaitForCancelling(context, "Upload");

    std::unique_lock<std::mutex> appending(session->appending);
    if (head.offset() != session->offset) return WrongOffset(context, *session);
    bool breaks = Begins(fs::path(session->name).filename(), "flaky-") && !session->broken_before;
    File file(session->path, O_WRONLY | O_CREAT);
    int64_t begins_at = session->offset;
    bool ended = false;
    while (!ended && reader->Read(&chunk)) {
      if (chunk.has_end()) {
        ended = true;
      } else {
        if (!file.Write(session->offset, chunk.data())) return Status(StatusCode::RESOURCE_EXHAUSTED, "The disk is full.");
        session->offset += chunk.data().size();
        if (breaks && session->offset > 100000) {
          session->broken_before = true;
          return Status(StatusCode::UNAVAILABLE, "It breaks here once.");
        }
      }
    }
    if (!ended) {
      if (head.upload().empty()) unlink(session->path.c_str());
      Status status = Ended(context, "Upload");
      return status.ok() ? Status(StatusCode::INVALID_ARGUMENT, "The upload was cut.") : status;
    }
    if (session->offset - begins_at != chunk.end().length()) return Status(StatusCode::DATA_LOSS, "Another length than was said.");
    if (chunk.end().has_sha256()) session->sha256 = chunk.end().sha256();
    if (publishes) return Publish(session.get(), head.upload(), answer);
    Tell(head.upload(), *session, answer);
    return Status::OK;
  }

  Status Delete(ServerContext* context, const v1::DeleteRequest* request, v1::DeleteResponse* answer) override {
    Status begun = Begin(context, "Delete", request->name());
    if (!begun.ok()) return begun;
    Status met = Check(request->name(), request->precondition());
    if (!met.ok()) return met;
    answer->set_deleted(unlink((folder_ / request->name()).c_str()) == 0);
    return Status::OK;
  }

  Status StartUpload(ServerContext* context, const v1::StartUploadRequest* request, v1::UploadStatus* answer) override {
    Status begun = Begin(context, "StartUpload", request->name());
    if (!begun.ok()) return begun;
    Status met = Check(request->name(), request->precondition());
    if (!met.ok()) return met;
    std::shared_ptr<Session> session = NewSession(request->name());
    if (request->has_length()) session->length = request->length();
    if (request->has_sha256()) session->sha256 = request->sha256();
    std::string id;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      id = "upload-" + std::to_string(++sessions_begun_);
      sessions_[id] = session;
    }
    Tell(id, *session, answer);
    return Status::OK;
  }

  Status UploadPart(ServerContext* context, const v1::UploadPartRequest* request, v1::UploadStatus* answer) override {
    std::shared_ptr<Session> session = FindSession(request->upload());
    if (session == nullptr) return Status(StatusCode::NOT_FOUND, "There is no upload " + request->upload() + ".");
    Status begun = Begin(context, "UploadPart", session->name);
    if (!begun.ok()) return begun;
    std::lock_guard<std::mutex> appending(session->appending);
    if (request->offset() != session->offset) return WrongOffset(context, *session);
    if (request->has_sha256()) {
      Sha256 hash;
      hash.Add(request->data());
      if (hash.Finish() != request->sha256()) return Status(StatusCode::DATA_LOSS, "The part has another SHA-256.");
    }
    File file(session->path, O_WRONLY | O_CREAT);
    if (!file.Write(session->offset, request->data())) return Status(StatusCode::RESOURCE_EXHAUSTED, "The disk is full.");
    session->offset += request->data().size();
    Tell(request->upload(), *session, answer);
    return Status::OK;
  }

  Status QueryUpload(ServerContext* context, const v1::QueryUploadRequest* request, v1::UploadStatus* answer) override {
    std::shared_ptr<Session> session = FindSession(request->upload());
    if (session == nullptr) return Status(StatusCode::NOT_FOUND, "There is no upload " + request->upload() + ".");
    Status begun = Begin(context, "QueryUpload", session->name);
    if (!begun.ok()) return begun;
    // Whoever still appends was cut and ends soon.
    std::lock_guard<std::mutex> appending(session->appending);
    Tell(request->upload(), *session, answer);
    return Status::OK;
  }

  Status CommitUpload(ServerContext* context, const v1::CommitUploadRequest* request, v1::UploadStatus* answer) override {
    std::shared_ptr<Session> session = FindSession(request->upload());
    if (session == nullptr) return Status(StatusCode::NOT_FOUND, "There is no upload " + request->upload() + ".");
    Status begun = Begin(context, "CommitUpload", session->name);
    if (!begun.ok()) return begun;
    std::lock_guard<std::mutex> appending(session->appending);
    if (request->has_length()) session->length = request->length();
    if (request->has_sha256()) session->sha256 = request->sha256();
    return Publish(session.get(), request->upload(), answer);
  }

  Status AbortUpload(ServerContext*, const v1::AbortUploadRequest* request, v1::AbortUploadResponse* answer) override {
    std::shared_ptr<Session> session = FindSession(request->upload());
    answer->set_aborted(session != nullptr);
    if (session != nullptr) {
      unlink(session->path.c_str());
      Forget(request->upload());
    }
    return Status::OK;
  }

 private:
  // What all calls have in common; an error for names that ask for one.
  Status Begin(ServerContext* context, const char* method, const std::string& name) {
    bool compressed = grpc_call_test_only_get_compression_algorithm(context->c_call()) == GRPC_COMPRESS_GZIP;
    if (compressed) context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
    Print(Json().Add("method", method).Add("name", name).Add("gzip", compressed));
    if (!token_.empty()) {
      auto found = context->client_metadata().find("authorization");
      if (found == context->client_metadata().end() || found->second != "Bearer " + token_) {
        return Status(StatusCode::UNAUTHENTICATED, "A token is needed.");
      }
    }
    std::string last = fs::path(name).filename();
    if (Begins(last, "status-")) return Status(static_cast<StatusCode>(std::stoi(last.substr(7))), kOddMessage);
    if (fs::path(name).is_absolute() || ("/" + name + "/").find("/../") != std::string::npos) {
      return Status(StatusCode::INVALID_ARGUMENT, "A name is relative to the folder.");
    }
    return Status::OK;
  }

  Status Ended(ServerContext* context, const char* method) {
    if (!context->IsCancelled()) return Status::OK;
    Print(Json().Add("cancelled", method));
    return Status::CANCELLED;
  }

  Status WaitForCancelling(ServerContext* context, const char* method) {
    for (int i = 0; i < 6000 && !context->IsCancelled(); i++) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return Ended(context, method);
  }

  Status Describe(const std::string& name, bool with_digest, v1::FileVersion* info) {
    std::string path = folder_ / name;
    struct stat found;
    if (stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) {
      return Status(StatusCode::NOT_FOUND, "There is no file " + name + ".");
    }
    info->set_name(name);
    info->set_length(found.st_size);
    info->set_count(found.st_size);
    info->mutable_modified()->set_seconds(found.st_mtim.tv_sec);
    info->mutable_modified()->set_nanos(found.st_mtim.tv_nsec);
    info->set_tag(std::to_string(found.st_ino) + "-" + std::to_string(found.st_mtim.tv_sec) + "-" +
                  std::to_string(found.st_mtim.tv_nsec) + "-" + std::to_string(found.st_size));
    if (with_digest) info->set_sha256(HashOf(path));
    return Status::OK;
  }

  Status Check(const std::string& name, const v1::Precondition& precondition) {
    v1::FileVersion info;
    bool exists = Describe(name, false, &info).ok();
    if (precondition.must_not_exist() && exists) return Status(StatusCode::ALREADY_EXISTS, "There is already " + name + ".");
    const auto& tags = precondition.tags();
    bool is_one = std::find(tags.begin(), tags.end(), info.tag()) != tags.end();
    if ((precondition.must_exist() && !exists) || (!tags.empty() && !(exists && is_one))) {
      return Status(StatusCode::FAILED_PRECONDITION, "Another version of " + name + " is there.");
    }
    return Status::OK;
  }

  std::shared_ptr<Session> NewSession(const std::string& name) {
    auto session = std::make_shared<Session>();
    session->name = name;
    std::lock_guard<std::mutex> lock(mutex_);
    session->path = (folder_ / (".part-" + std::to_string(++parts_begun_))).string();
    File(session->path, O_WRONLY | O_CREAT | O_TRUNC);
    return session;
  }

  std::shared_ptr<Session> FindSession(const std::string& id) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = sessions_.find(id);
    return found == sessions_.end() ? nullptr : found->second;
  }

  void Forget(const std::string& id) {
    std::lock_guard<std::mutex> lock(mutex_);
    sessions_.erase(id);
  }

  Status WrongOffset(ServerContext* context, const Session& session) {
    context->AddTrailingMetadata("millrace-error", "OffsetMismatch");
    context->AddTrailingMetadata("millrace-offset", std::to_string(session.offset));
    return Status(StatusCode::ABORTED, "The upload has " + std::to_string(session.offset) + " bytes.");
  }

  void Tell(const std::string& id, const Session& session, v1::UploadStatus* answer) {
    answer->set_upload(id);
    answer->set_offset(session.offset);
    if (session.length) answer->set_length(*session.length);
    answer->mutable_expires()->set_seconds(time(nullptr) + 3600);
  }

  Status Publish(Session* session, const std::string& id, v1::UploadStatus* answer) {
    if (session->length && *session->length != session->offset) {
      return Status(StatusCode::FAILED_PRECONDITION, "Only " + std::to_string(session->offset) + " bytes have come.");
    }
    if (!session->sha256.empty() && HashOf(session->path) != session->sha256) {
      unlink(session->path.c_str());
      Forget(id);
      return Status(StatusCode::DATA_LOSS, "The file has another SHA-256.");
    }
    fs::path target = folder_ / session->name;
    std::error_code error;
    fs::create_directories(target.parent_path(), error);
    if (rename(session->path.c_str(), target.c_str()) != 0) return Status(StatusCode::INTERNAL, "It cannot be published.");
    Tell(id, *session, answer);
    Forget(id);
    return Describe(session->name, !session->sha256.empty(), answer->mutable_file());
  }

  const fs::path folder_;
  const int chunk_;
  const std::string token_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Session>> sessions_;
  int sessions_begun_ = 0;
  int parts_begun_ = 0;
};

class HealthService final : public health::Health::Service {
 public:
  Status Check(ServerContext*, const health::HealthCheckRequest* request, health::HealthCheckResponse* answer) override {
    if (!request->service().empty() && request->service() != "millrace.v1.FileTransfer") {
      return Status(StatusCode::NOT_FOUND, "There is no service " + request->service() + ".");
    }
    answer->set_status(health::HealthCheckResponse::SERVING);
    return Status::OK;
  }
};

int Serve(const Options& options) {
  FileTransferService files(options.Text("folder"), ChunkOf(options.Number("chunk", 0), kDefaultChunk), options.Text("token"));
  HealthService healthy;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:" + std::to_string(options.Number("port", 0)), grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(&files);
  builder.RegisterService(&healthy);
  std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr || port == 0) {
    std::cerr << "The server cannot listen." << std::endl;
    return 1;
  }
  Print(Json().Add("port", static_cast<int64_t>(port)));
  for (std::string line; std::getline(std::cin, line);) {
  }
  server->Shutdown(std::chrono::system_clock::now());
  return 0;
}

// ---- The client --------------------------------------------------------------------------------------------------------

using Stub = v1::FileTransfer::Stub;

std::shared_ptr<grpc::Channel> Connect(const std::string& server) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  return grpc::CreateCustomChannel(server, grpc::InsecureChannelCredentials(), arguments);
}

void Prepare(grpc::ClientContext* context, const Options& options) {
  if (options.Has("gzip")) context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
  if (options.Has("token")) context->AddMetadata("authorization", "Bearer " + options.Text("token"));
  if (options.Has("deadline")) {
    context->set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(options.Number("deadline", 0)));
  }
}

Json Said(const Status& status, const grpc::ClientContext& context) {
  Json trailers;
  for (const auto& [name, value] : context.GetServerTrailingMetadata()) {
    trailers.Add(std::string(name.data(), name.size()), std::string(value.data(), value.size()));
  }
  return Json()
      .Add("status", kStatusNames[status.error_code()])
      .Add("code", static_cast<int64_t>(status.error_code()))
      .Add("message", status.error_message())
      .Raw("trailers", trailers.Text());
}

std::string Told(const v1::FileVersion& info) {
  Json json;
  json.Add("name", info.name()).Add("length", info.length()).Add("tag", info.tag()).Add("offset", info.offset());
  json.Add("count", info.count()).Add("modified", info.modified().seconds());
  if (info.has_sha256()) json.Add("sha256", Hex(info.sha256()));
  return json.Text();
}

struct Sent {
  Status status;
  int64_t bytes = 0;
  v1::UploadStatus answer;
};

struct UploadPlan {
  v1::UploadHead head;
  int chunk = kDefaultChunk;
  bool with_digest = false;
  int64_t cancel_after = -1;
  int64_t end_after = -1;
  bool stalls = false;
};

Sent SendFile(Stub* stub, grpc::ClientContext* context, const std::string& path, const UploadPlan& plan) {
  Sent sent;
  auto writer = stub->Upload(context, &sent.answer);
  v1::Chunk chunk;
  *chunk.mutable_upload() = plan.head;
  bool goes_on = writer->Write(chunk);
  // Finish waits for the server or the deadline, as the stream is left open.
  if (plan.stalls) {
    sent.status = writer->Finish();
    return sent;
  }
  File file(path, O_RDONLY);
  if (!file.IsOpen()) {
    context->TryCancel();
    writer->Finish();
    sent.status = Status(StatusCode::NOT_FOUND, "There is no file " + path + " here.");
    return sent;
  }
  Sha256 hash;
  std::string* data = chunk.mutable_data();
  while (goes_on) {
    data->resize(plan.chunk);
    if (!file.Read(plan.head.offset() + sent.bytes, data) || data->empty()) break;
    if (plan.with_digest) hash.Add(*data);
    goes_on = writer->Write(chunk);
    if (goes_on) sent.bytes += data->size();
    if (plan.cancel_after >= 0 && sent.bytes >= plan.cancel_after) {
      context->TryCancel();
      goes_on = false;
    } else if (plan.end_after >= 0 && sent.bytes >= plan.end_after) {
      goes_on = false;
      writer->WritesDone();
    }
  }
  if (goes_on) {
    chunk.mutable_end()->set_length(sent.bytes);
    if (plan.with_digest) chunk.mutable_end()->set_sha256(hash.Finish());
    if (writer->Write(chunk)) writer->WritesDone();
  }
  sent.status = writer->Finish();
  return sent;
}

struct Received {
  Status status;
  int64_t bytes = 0;
  int messages = 0;
  bool ended = false;
  bool gzip = false;
  v1::FileVersion file;
  v1::End end;
};

Received ReceiveFile(
    Stub* stub, grpc::ClientContext* context, const v1::DownloadRequest& request, const std::string& path, int64_t cancel_after) {
  Received received;
  auto reader = stub->Download(context, request);
  File file(path, O_WRONLY | O_CREAT | O_TRUNC);
  v1::Chunk chunk;
  while (reader->Read(&chunk)) {
    received.messages++;
    if (chunk.has_file()) {
      received.file = chunk.file();
      received.gzip = grpc_call_test_only_get_compression_algorithm(context->c_call()) == GRPC_COMPRESS_GZIP;
    } else if (chunk.has_end()) {
      received.end = chunk.end();
      received.ended = true;
    } else if (!file.Write(received.bytes, chunk.data())) {
      context->TryCancel();
    } else {
      received.bytes += chunk.data().size();
      if (cancel_after >= 0 && received.bytes >= cancel_after) context->TryCancel();
    }
  }
  received.status = reader->Finish();
  return received;
}

int RunHealth(const Options& options) {
  grpc::ClientContext context;
  Prepare(&context, options);
  health::HealthCheckRequest request;
  request.set_service(options.Text("name"));
  health::HealthCheckResponse answer;
  Status status = health::Health::NewStub(Connect(options.Text("server")))->Check(&context, request, &answer);
  Print(Said(status, context).Add("health", health::HealthCheckResponse::ServingStatus_Name(answer.status())));
  return 0;
}

int RunStat(Stub* stub, const Options& options) {
  grpc::ClientContext context;
  Prepare(&context, options);
  v1::StatRequest request;
  request.set_name(options.Text("name"));
  request.set_want_sha256(true);
  v1::FileVersion answer;
  Status status = stub->Stat(&context, request, &answer);
  Print(Said(status, context).Raw("file", Told(answer)));
  return 0;
}

int RunList(Stub* stub, const Options& options) {
  grpc::ClientContext context;
  Prepare(&context, options);
  v1::ListRequest request;
  request.set_folder(options.Text("name"));
  request.set_recursive(options.Has("recursive"));
  auto reader = stub->List(&context, request);
  std::string entries;
  for (v1::ListEntry entry; reader->Read(&entry);) {
    Json json;
    json.Add("name", entry.name()).Add("folder", entry.is_folder()).Add("length", entry.file().length());
    entries += (entries.empty() ? "" : ",") + json.Text();
  }
  Status status = reader->Finish();
  Print(Said(status, context).Raw("entries", "[" + entries + "]"));
  return 0;
}

int RunDelete(Stub* stub, const Options& options) {
  grpc::ClientContext context;
  Prepare(&context, options);
  v1::DeleteRequest request;
  request.set_name(options.Text("name"));
  v1::DeleteResponse answer;
  Status status = stub->Delete(&context, request, &answer);
  Print(Said(status, context).Add("deleted", answer.deleted()));
  return 0;
}

int RunDownload(Stub* stub, const Options& options) {
  grpc::ClientContext context;
  Prepare(&context, options);
  v1::DownloadRequest request;
  request.set_name(options.Text("name"));
  request.set_offset(options.Number("offset", 0));
  if (options.Has("count")) request.set_count(options.Number("count", 0));
  request.set_want_sha256(true);
  request.set_chunk_bytes(static_cast<int>(options.Number("chunk", 0)));
  Received received = ReceiveFile(stub, &context, request, options.Text("file"), options.Number("cancel-after", -1));
  std::string told = received.end.has_sha256() ? received.end.sha256() : received.file.sha256();
  Print(Said(received.status, context)
            .Raw("file", Told(received.file))
            .Add("bytes", received.bytes)
            .Add("messages", static_cast<int64_t>(received.messages))
            .Add("ended", received.ended)
            .Add("endLength", received.end.length())
            .Add("gzip", received.gzip)
            .Add("sha256", Hex(HashOf(options.Text("file"))))
            .Add("toldSha256", Hex(told)));
  return 0;
}

int RunUpload(Stub* stub, const Options& options) {
  grpc::ClientContext context;
  Prepare(&context, options);
  UploadPlan plan;
  plan.head.set_name(options.Text("name"));
  plan.head.mutable_precondition()->set_must_not_exist(options.Has("must-not-exist"));
  plan.chunk = ChunkOf(options.Number("chunk", 0), kDefaultChunk);
  plan.with_digest = true;
  plan.cancel_after = options.Number("cancel-after", -1);
  plan.end_after = options.Number("end-after", -1);
  plan.stalls = options.Has("stall");
  Sent sent = SendFile(stub, &context, options.Text("file"), plan);
  Print(Said(sent.status, context)
            .Add("bytes", sent.bytes)
            .Add("sha256", Hex(HashOf(options.Text("file"))))
            .Add("offset", sent.answer.offset())
            .Raw("file", Told(sent.answer.file())));
  return 0;
}

// Begins an upload, breaks it in the middle, asks how far it came, and goes on; or sends it message by message.
int RunSession(Stub* stub, const Options& options, bool in_parts) {
  std::string path = options.Text("file");
  std::string digest = HashOf(path);
  int64_t length = File(path, O_RDONLY).Length();
  int chunk = ChunkOf(options.Number("chunk", 0), kDefaultChunk);
  v1::UploadStatus upload;
  {
    grpc::ClientContext context;
    Prepare(&context, options);
    v1::StartUploadRequest request;
    request.set_name(options.Text("name"));
    request.set_length(length);
    Status status = stub->StartUpload(&context, request, &upload);
    Print(Said(status, context).Add("call", "StartUpload").Add("offset", upload.offset()));
    if (!status.ok()) return 0;
  }
  std::string id = upload.upload();
  for (int64_t offset = 0; in_parts && offset < length;) {
    File file(path, O_RDONLY);
    v1::UploadPartRequest request;
    request.set_upload(id);
    request.set_offset(offset);
    request.mutable_data()->resize(chunk);
    file.Read(offset, request.mutable_data());
    Sha256 hash;
    hash.Add(request.data());
    request.set_sha256(hash.Finish());
    grpc::ClientContext context;
    Prepare(&context, options);
    Status status = stub->UploadPart(&context, request, &upload);
    Print(Said(status, context).Add("call", "UploadPart").Add("offset", upload.offset()));
    if (!status.ok()) return 0;
    offset = upload.offset();
  }
  for (int round = 0; !in_parts && round < 2; round++) {
    {
      UploadPlan plan;
      plan.head.set_upload(id);
      plan.head.set_offset(upload.offset());
      plan.chunk = chunk;
      if (round == 0) (options.Text("break") == "end" ? plan.end_after : plan.cancel_after) = length / 2;
      grpc::ClientContext context;
      Prepare(&context, options);
      Sent sent = SendFile(stub, &context, path, plan);
      Print(Said(sent.status, context).Add("call", "Upload").Add("bytes", sent.bytes).Add("offset", sent.answer.offset()));
    }
    v1::QueryUploadRequest request;
    request.set_upload(id);
    grpc::ClientContext context;
    Prepare(&context, options);
    Status status = stub->QueryUpload(&context, request, &upload);
    Print(Said(status, context).Add("call", "QueryUpload").Add("offset", upload.offset()));
    if (!status.ok()) return 0;
  }
  grpc::ClientContext context;
  Prepare(&context, options);
  v1::CommitUploadRequest request;
  request.set_upload(id);
  request.set_sha256(digest);
  Status status = stub->CommitUpload(&context, request, &upload);
  Print(Said(status, context)
            .Add("call", "CommitUpload")
            .Add("offset", upload.offset())
            .Add("sha256", Hex(digest))
            .Raw("file", Told(upload.file())));
  return 0;
}

}  // namespace

int main(int count, char** values) {
  std::string command = count > 1 ? values[1] : "";
  Options options(count, values);
  if (command == "serve") return Serve(options);
  if (command == "health") return RunHealth(options);
  std::unique_ptr<Stub> stub = v1::FileTransfer::NewStub(Connect(options.Text("server")));
  if (command == "stat") return RunStat(stub.get(), options);
  if (command == "list") return RunList(stub.get(), options);
  if (command == "delete") return RunDelete(stub.get(), options);
  if (command == "download") return RunDownload(stub.get(), options);
  if (command == "upload") return RunUpload(stub.get(), options);
  if (command == "session") return RunSession(stub.get(), options, false);
  if (command == "parts") return RunSession(stub.get(), options, true);
  std::cerr << "Commands: serve, health, stat, list, delete, download, upload, session, parts." << std::endl;
  return 2;
}
