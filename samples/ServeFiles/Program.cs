// Serves a folder and takes uploads into it, on a free port of this machine. Standard input's end stops it.
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.FileProviders;
using Microsoft.Extensions.Logging;
using Millrace.Kestrel;

if (args is ["--compare", string megabytes] && int.TryParse(megabytes, out int size) && size is > 0 and <= 1024)
{
    return await ServeFiles.Comparison.RunAsync(size);
}

if (args is not ([_] or [_, "--stock"]))
{
    Console.Error.WriteLine("Usage: ServeFiles FOLDER [--stock] | --compare MEGABYTES");
    return 1;
}

string folder = Path.GetFullPath(args[0]);
WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
builder.WebHost.UseUrls("http://127.0.0.1:0");
builder.WebHost.ConfigureKestrel(options => options.Limits.MaxRequestBodySize = null);
builder.Logging.ClearProviders();
if (args.Length == 1)
{
    builder.WebHost.UseMillraceSockets(); // The one line.
}

await using WebApplication app = builder.Build();
app.UseStaticFiles(new StaticFileOptions { FileProvider = new PhysicalFileProvider(folder), ServeUnknownFileTypes = true });
app.UseRouting();
app.MapPut("/{name}", async (string name, HttpRequest request) =>
{
    await using FileStream file = File.Create(Path.Combine(folder, Path.GetFileName(name)));
    await request.Body.CopyToAsync(file);
});

await app.StartAsync();
Console.WriteLine(app.Urls.First());
await Console.In.ReadToEndAsync();
return 0;
